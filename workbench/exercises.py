"""Exercises that check an answer without revealing it."""

import hashlib
from dataclasses import dataclass
from typing import Any


class Reply(str):
    """What an exercise says to an answer; a notebook shows the sentence without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Exercise:
    """A question of a notebook.

    Attributes
    ----------
    question : str
    digest : str
        The first eight digits of the SHA-256 of the right answer's text.
    hint : str
        The reply to a wrong answer.

    Examples
    --------
    >>> exercise = Exercise("What is 6 times 7?", digest_of(42), "Count on your fingers.")
    >>> exercise.check(None)
    What is 6 times 7? Put your answer in place of None.
    >>> exercise.check(41)
    Not yet. Count on your fingers.
    >>> exercise.check(42)
    Right!
    """

    question: str
    digest: str
    hint: str

    def check(self, answer: Any) -> Reply:
        """Return the reply to an answer.

        Parameters
        ----------
        answer : value
            None if there is none yet.

        Returns
        -------
        Reply
            A text.
        """
        if answer is None:
            return Reply(f"{self.question} Put your answer in place of None.")
        return Reply("Right!" if digest_of(answer) == self.digest else f"Not yet. {self.hint}")


def digest_of(answer: Any) -> str:
    """Return the digest of an answer, as an exercise stores it.

    Parameters
    ----------
    answer : value
        Compared as text, so that 42 and a NumPy 42 are the same.

    Returns
    -------
    str
    """
    return hashlib.sha256(str(answer).encode()).hexdigest()[:8]
