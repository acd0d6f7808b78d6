// Preloaded into a service process to shift its clock by CLOCK_SKEW_MS.
const skew = Number(process.env.CLOCK_SKEW_MS);
const now = Date.now;
Date.now = () => now() + skew;
