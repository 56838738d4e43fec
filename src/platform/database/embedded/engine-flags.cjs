'use strict';
/**
 * Sets how V8 compiles the engine. These flags apply to the whole process. `runtime-flags.ts` sets them before anything
 * is loaded, because V8 accepts compiled code (module-bundle.ts) only under the flags with which it was created.
 */
const { setFlagsFromString } = require('node:v8');

// Optimizing an engine function takes up to 30 MB and one second of CPU time. With this budget, only functions that run
// very often are optimized. All others are compiled by the baseline compiler when they are first called.
setFlagsFromString('--wasm-tiering-budget=2000000000');

// Only one function is optimized at a time, because each compiler thread keeps its memory.
setFlagsFromString('--wasm-num-compilation-tasks=1');
