// itables' own script renders what the model says then, and listens from then on.
export default {
  initialize: ({ model }) => keepsHearing(model),
  async render({ model, el }) {
    return (await shared(model)).default.render({ model, el });
  },
};
