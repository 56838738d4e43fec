let turnMs = 0;
let isSet = false;

const endTurn = () => {
  isSet = false;
};

/**
 * Returns when the current socket event arrived, in milliseconds of the monotonic clock. All events of one turn of the
 * event loop arrived before its first callback ran, so they share that callback's time. Work for one check then does
 * not lengthen the next. Use it only for the end of a wait. For the start, use `performance.now()`.
 */
export function arrivalMs(): number {
  if (isSet) return turnMs;
  isSet = true;
  turnMs = performance.now();
  setImmediate(endTurn);
  return turnMs;
}
