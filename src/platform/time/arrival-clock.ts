let turnMs = 0;
let isSet = false;

const endTurn = () => {
  isSet = false;
};

/**
 * When the socket event being handled arrived, in milliseconds by the monotonic clock. The events of one turn of the event
 * loop arrived before its first callback ran, so they all get that callback's time: the work for one check does not
 * lengthen the next. Only for the end of a wait; for its start use `performance.now()`.
 */
export function arrivalMs(): number {
  if (isSet) return turnMs;
  isSet = true;
  turnMs = performance.now();
  setImmediate(endTurn);
  return turnMs;
}
