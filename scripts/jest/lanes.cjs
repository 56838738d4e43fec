'use strict';
/**
 * Decides which specs run in which lane. A spec declares its lane in its first comment, like Jest's own pragmas:
 *
 *   @lane fast       (the default) `npm test`: no process, no PostgreSQL, at most 6 CPU seconds per file
 *   @lane slow       `npm run test:slow`: starts processes, waits for real time, or needs more
 *   @lane timed      `npm run test:slow`, at the end and two at a time: tests when something happens
 *   @databases both  its results depend on the database: CI runs it on the embedded one and on PostgreSQL
 *   @databases embedded
 *   @alone           in a process without other specs: it tests the process, or makes changes that persist in it
 */
const { readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '../..');

/** The folders that contain lane specs, for each project in jest.config.js. Other specs belong to separate suites. */
const FOLDERS = {
  unit: ['src', 'packages', 'test/chaos'],
  contract: ['test/contract'],
  repository: ['test/repository'],
  integration: ['test/integration'],
  e2e: ['test/e2e'],
};
const LANES = ['fast', 'slow', 'timed'];
const DATABASES = ['one', 'both', 'embedded'];

function specsUnder(folder) {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => `${folder}/${name}`);
}

function pragma(comment, name, values) {
  const value = new RegExp(`@${name}\\s+(\\S+)`).exec(comment)?.[1] ?? values[0];
  if (!values.includes(value)) throw new Error(`@${name} is one of ${values.join(', ')}, not ${value}`);
  return value;
}

function readPragmas(text) {
  const comment = /^\s*\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? '';
  return {
    lane: pragma(comment, 'lane', LANES),
    databases: pragma(comment, 'databases', DATABASES),
    alone: /@alone\b/.test(comment),
  };
}

function describeSpec(project, file) {
  try {
    return { file, project, ...readPragmas(readFileSync(path.join(root, file), 'utf8')) };
  } catch (error) {
    throw new Error(`${file}: ${error.message}`, { cause: error });
  }
}

/** Returns every spec in the lanes, sorted by name: `{ file, project, lane, databases, alone }`. */
const allSpecs = () =>
  Object.entries(FOLDERS)
    .flatMap(([project, folders]) => folders.flatMap(specsUnder).map((file) => describeSpec(project, file)))
    .sort((a, b) => (a.file < b.file ? -1 : 1));

/** Generates numbers from 0 to 1 that depend only on the seed (mulberry32). */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the items in an order that depends only on the seed. */
function shuffled(items, seed) {
  const random = randomOf(seed);
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

/** Splits the items into `count` groups with about the same weight. Within a group, the items keep their order. */
function dealt(items, count, weightOf) {
  const groups = Array.from({ length: Math.min(count, items.length) }, () => ({ weight: 0, items: [] }));
  for (const item of items) {
    const lightest = groups.reduce((least, group) => (group.weight < least.weight ? group : least));
    lightest.items.push(item);
    lightest.weight += weightOf(item);
  }
  return groups.map((group) => group.items);
}

module.exports = { allSpecs, dealt, readPragmas, root, shuffled };
