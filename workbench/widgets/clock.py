"""Animations that continue in the browser while this process works."""

from workbench.markup import element, stylesheet

# They start after two seconds: an animation is drawn sixty times a second, which takes a core from
# a computation that may end by then.
_TURN = (
    "@keyframes wb-turn{to{transform:rotate(360deg)}}"
    ".wb-turn{display:inline-block;width:12px;height:12px;border:2px solid var(--wb-rule,#c9ccd2);"
    "border-top-color:var(--wb-blue,#0072b2);border-radius:50%;"
    "animation:wb-turn .8s linear 2s infinite;margin-right:6px}"
)
_CLOCK = (
    "@property --wb-s{syntax:'<integer>';initial-value:0;inherits:false}"
    "@keyframes wb-s{from{--wb-s:2}to{--wb-s:3602}}"
    ".wb-clock{animation:wb-s 3600s linear 2s;counter-reset:wb-s var(--wb-s)}"
    ".wb-clock::after{content:counter(wb-s) ' s'}"
)

SPINNER = stylesheet(_TURN) + element("span", class_="wb-turn")
#: The seconds since it appeared, counted by the browser while the kernel is busy.
CLOCK = SPINNER + stylesheet(_CLOCK) + element("span", class_="wb-clock")
