"""What goes wrong, said in one sentence to the person who can mend it."""


class WorkbenchError(ValueError):
    """A request that cannot be carried out: the message names the argument and what to do."""


class WorkbenchWarning(UserWarning):
    """Something that is carried out, but is probably not what was meant."""


class JobError(WorkbenchError):
    """A Spark job that was broken off: the message says by what, and what to do."""
