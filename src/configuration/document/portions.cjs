'use strict';
/**
 * Passes a value from thread to thread in portions, so that the receiver never processes more than one of them at a
 * time. This is plain JavaScript, because a worker thread loads it without the compiler.
 */

/** The approximate number of characters in a portion. Each value also adds a few. */
const PORTION = 64 * 1024;
const CHARACTERS_PER_VALUE = 16;

/** Yields portions of a JSON value for `Joined.take`. Each portion is JSON itself. */
function* portionsOf(value) {
  const large = new Set();
  weigh(value, large);
  let steps = [];
  let weight = 0;
  for (const step of stepsOf('', value, large)) {
    steps.push(step);
    weight += 'value' in step ? weigh(step.value, large) : CHARACTERS_PER_VALUE;
    if (weight < PORTION) continue;
    yield JSON.stringify(steps);
    [steps, weight] = [[], 0];
  }
  if (steps.length > 0) yield JSON.stringify(steps);
}

/** Returns the weight of a value, and adds values that are larger than a portion to `large`. */
function weigh(value, large) {
  if (typeof value === 'string') return CHARACTERS_PER_VALUE + value.length;
  if (typeof value !== 'object' || value === null) return CHARACTERS_PER_VALUE;
  let weight = CHARACTERS_PER_VALUE;
  if (Array.isArray(value)) for (const item of value) weight += weigh(item, large);
  else for (const name of Object.keys(value)) weight += name.length + weigh(value[name], large);
  if (weight > PORTION) large.add(value);
  return weight;
}

/** Yields a value in one step, or a large value in several: its start, its members, and its end. */
function* stepsOf(name, value, large) {
  if (!large.has(value)) return yield { name, value };
  yield { name, opens: Array.isArray(value) ? 'list' : 'mapping' };
  for (const member of Object.keys(value)) yield* stepsOf(member, value[member], large);
  yield { closes: true };
  return undefined;
}

/** Joins the portions of a value. */
class Joined {
  root = [];
  open = [this.root];

  take(portion) {
    for (const step of JSON.parse(portion)) {
      if (step.closes) {
        this.open.pop();
        continue;
      }
      const value = step.opens === undefined ? step.value : step.opens === 'list' ? [] : {};
      const around = this.open.at(-1);
      if (Array.isArray(around)) around.push(value);
      else around[step.name] = value;
      if (step.opens !== undefined) this.open.push(value);
    }
  }

  get value() {
    return this.root[0];
  }
}

module.exports = { portionsOf, Joined };
