"""A clock that goes on in the browser while this process works."""

#: Seconds since it appeared, counted by the browser, as the kernel has no time to.
CLOCK = (
    "<style>@property --wb-s{syntax:'<integer>';initial-value:0;inherits:false}"
    "@keyframes wb-s{to{--wb-s:3600}}@keyframes wb-turn{to{transform:rotate(360deg)}}"
    ".wb-clock{animation:wb-s 3600s linear;counter-reset:wb-s var(--wb-s)}"
    ".wb-clock::after{content:counter(wb-s) ' s'}"
    ".wb-turn{display:inline-block;width:12px;height:12px;border:2px solid #c9ccd2;"
    "border-top-color:#0072b2;border-radius:50%;animation:wb-turn .8s linear infinite}</style>"
    "<span class='wb-turn'></span> <span class='wb-clock'></span>"
)
