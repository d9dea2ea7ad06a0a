(() => { "use strict"; const r = () => parseInt(readline()); for (;;) console.log("REPLY " + r()); })();
