'use strict';
/**
 * Sets how V8 compiles the engine. These flags count for the whole process. `runtime-flags.ts` sets them before
 * anything is loaded, because V8 accepts compiled code (module-bundle.ts) only under the flags that it was created
 * with.
 */
const { setFlagsFromString } = require('node:v8');

// Optimizing a function of the engine takes up to 30 MB and a second of CPU. With this budget, that is done only for
// functions that run very often. All others stay as the baseline compiler made them, and are compiled at their first
// call.
setFlagsFromString('--wasm-tiering-budget=2000000000');

// One function is optimized at a time, because each compiler thread keeps its memory.
setFlagsFromString('--wasm-num-compilation-tasks=1');
