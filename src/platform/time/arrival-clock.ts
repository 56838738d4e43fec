let stamp = 0;
let stamped = false;

const forget = () => {
  stamped = false;
};

/**
 * When the socket event being handled arrived, in milliseconds on the monotonic clock. The events of one turn of the loop
 * arrived before its first callback ran, so they all get that callback's time; the work done for one check is not
 * billed to the next. Only for the end of a wait: take a start from `performance.now()`.
 */
export function arrivalMs(): number {
  if (stamped) return stamp;
  stamped = true;
  stamp = performance.now();
  setImmediate(forget);
  return stamp;
}
