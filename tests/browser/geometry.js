// Measure all widgets of a page, and return a list of what is wrong.
([near, hair, read, either]) => {
  const wrong = [];
  const say = (what, it) => wrong.push(`${what}: ${(it.textContent || it.className).slice(0, 60)}`);
  const box = (it) => it.getBoundingClientRect();
  const seen = (it) => it.checkVisibility() && box(it).width > 0 && box(it).height > 0;
  const all = (root, selector) => [...root.querySelectorAll(selector)].filter(seen);
  const within = ({ left, right, top, bottom }) => (
    { left: left + hair, right: right - hair, top: top + hair, bottom: bottom - hair });
  const inside = (a, b) => a.left >= b.left - hair && a.right <= b.right + hair
    && a.top >= b.top - hair && a.bottom <= b.bottom + hair;
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;

  // Any colour in a style, as red, green, blue and alpha from 0 to 1.
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const parts = (color) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
  };
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a)];
  const ground = (it) => {
    const [r, g, b, a] = parts(getComputedStyle(it).backgroundColor);
    return a === 1 || !it.parentElement ? [r, g, b] : over([r, g, b, a], ground(it.parentElement));
  };
  const light = (color) => [0.2126, 0.7152, 0.0722].reduce((sum, share, k) => {
    const part = color[k];
    return sum + share * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  }, 0);
  const contrast = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((one, other) => one - other);
    return (high + 0.05) / (low + 0.05);
  };
  const isRead = (it, color, behind, least = read) => {
    if (contrast(over(parts(color), behind), behind) < least) say('not read on its ground', it);
  };

  const lab = parts(getComputedStyle(document.body).getPropertyValue('--jp-layout-color1'));
  for (const card of all(document, '.wb-card')) {
    const place = card.closest('.jp-OutputArea-output') ?? card.parentElement;
    // Cards next to each other fill it together.
    const whole = card.parentElement.matches('.widget-hbox') ? card.parentElement : card;
    if (Math.abs(box(whole).width - box(place).width) > near) say('not as wide as its cell', card);
    if (ground(card).some((part, k) => Math.abs(part - lab[k]) > 0.01)) say('not on the ground of the lab', card);
    for (const it of all(card, '.wb-title, .wb-facts, .wb-told, .wb-hint, .wb-code code, .widget-label, .widget-readout')) {
      if (it.scrollWidth > it.clientWidth + hair && it.clientWidth) say('text outside its box', it);
      if (!inside(box(it), box(card))) say('text outside its card', it);
      if (it.textContent) isRead(it, getComputedStyle(it).color, ground(it));
    }
    // A table may be wider than its card if it can be scrolled.
    const moves = (it) => it !== card && (/auto|scroll/.test(getComputedStyle(it).overflowX) || moves(it.parentElement));
    for (const it of all(card, '.wb-table td')) {
      if (!moves(it) && box(it).right > box(card).right + hair) say('cell outside its card', it);
    }
    for (const it of all(card, '.wb-controls :is(button, select, input)')) {
      const { left, right } = box(it);
      if (left < box(card).left - hair || right > box(card).right + hair) say('outside its card', it);
    }
    for (const it of all(card, 'button, select')) {
      for (let around = it.parentElement; around !== card.parentElement; around = around.parentElement) {
        const { top, bottom } = box(around);
        const cut = box(it).top < top - hair || box(it).bottom > bottom + hair;
        if (cut && getComputedStyle(around).overflowY === 'hidden') say('cut off', it);
      }
    }
    for (const bar of all(card, '.wb-share')) {
      const buttons = all(bar, 'button');
      buttons.slice(1).forEach((it, k) => { if (!apart(box(it), box(buttons[k]))) say('over the button beside it', it); });
    }
  }
  for (const player of all(document, '.wbp')) {
    const place = player.closest('.jp-OutputArea-output') ?? player.parentElement;
    if (Math.abs(box(player).width - box(place).width) > near) say('not as wide as its cell', player);
    for (const it of all(player, 'h2, h3, p, label, button, .wbp-position, .wbp-caption, code')) {
      if (it.matches('.wbp-spoken')) continue; // for screen readers alone: a pixel wide
      if (it.scrollWidth > it.clientWidth + hair && it.clientWidth) say('text outside its box', it);
      if (!inside(box(it), box(player)) && !it.closest('.wbp-body')) say('text outside its player', it);
      if (it.textContent && !it.matches(':disabled, [aria-disabled]')) isRead(it, getComputedStyle(it).color, ground(it));
    }
    for (const picture of all(player, 'svg')) {
      for (const it of all(picture, 'text')) if (!inside(box(it), box(picture))) say('text outside its picture', it);
    }
  }
  for (const still of all(document, 'svg.wb-still')) {
    for (const it of all(still, 'text')) if (!inside(box(it), box(still))) say('text outside its picture', it);
  }
  for (const table of all(document, 'table.wb-described')) {
    const place = table.closest('.jp-OutputArea-output') ?? table.parentElement;
    if (box(table).right > box(place).right + hair && place.scrollWidth <= place.clientWidth) say('cut off', table);
    for (const it of all(table, 'th, td, caption')) if (it.textContent) isRead(it, getComputedStyle(it).color, ground(it));
  }
  for (const chart of all(document, '.js-plotly-plot')) {
    const place = chart.closest('.wb-card') ? chart.parentElement : chart;
    const style = getComputedStyle(place);
    const room = place.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const drawn = box(chart.querySelector('.main-svg'));
    if (Math.abs(drawn.width - room) > near) say(`${drawn.width} wide in ${room}`, chart);
    const bg = chart.querySelector('.bg'), filled = bg && getComputedStyle(bg);
    const [r, g, b, a] = filled ? parts(filled.fill) : [0, 0, 0, 0];
    const behind = over([r, g, b, a * (filled?.fillOpacity ?? 1)], ground(chart));
    for (const it of all(chart, '.main-svg text')) {
      if (!inside(box(it), drawn)) say('text outside its figure', it);
      const named = it.closest('.xtick, .ytick, .legend, .infolayer, .xtitle, .ytitle');
      if (named && !it.closest('.annotation')?.querySelector('rect.bg[style*="fill-opacity: 1"]')) {
        isRead(it, getComputedStyle(it).fill, behind, chart.closest('.wb-card') ? read : either);
      }
    }
    for (const axis of all(chart, '.xaxislayer-above, .yaxislayer-above')) {
      const ticks = all(axis, 'text');
      ticks.slice(1).forEach((it, k) => {
        if (!apart(within(box(it)), within(box(ticks[k])))) say('over the tick beside it', it);
      });
    }
    // A legend is above, below or next to its figure, and not over the marks.
    const { y, yref } = chart._fullLayout.legend ?? {};
    for (const legend of yref === 'paper' && (y >= 1 || y <= 0) ? all(chart, '.legend') : []) {
      for (const plot of all(chart, '.nsewdrag')) {
        if (!apart(within(box(legend)), within(box(plot)))) say('over its figure', legend);
      }
    }
    const ticks = all(chart, '.xtick text, .ytick text');
    for (const it of all(chart, '.infolayer [class$="title"] text, .infolayer text[class$="title"]')) {
      if (ticks.some((tick) => !apart(within(box(it)), within(box(tick))))) say('over a number of an axis', it);
    }
    for (const tool of all(chart, '.modebar-group')) {
      for (const it of all(chart, '.gtitle, .annotation-text, .legendtext')) {
        if (!apart(box(tool), box(it))) say('under the toolbar', it);
      }
    }
  }
  return wrong;
}
