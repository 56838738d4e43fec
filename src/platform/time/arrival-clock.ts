let turnMs = 0;
let isSet = false;

const endTurn = () => {
  isSet = false;
};

/**
 * Returns when the current socket event arrived, in milliseconds on the monotonic clock. All events in one turn of the
 * event loop arrived before its first callback ran, so they share that callback's time. This way, work for one check
 * doesn't lengthen the next check. Use it only for the end of a wait. For the start, use `performance.now()`.
 */
export function arrivalMs(): number {
  if (isSet) return turnMs;
  isSet = true;
  turnMs = performance.now();
  setImmediate(endTurn);
  return turnMs;
}
