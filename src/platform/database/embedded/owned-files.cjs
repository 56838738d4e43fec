'use strict';
const fs = require('node:fs');

/**
 * The functions that create a file or directory, with the index of the path argument. The engine and its files use no
 * other functions for this.
 */
const MAKERS = { mkdirSync: 0, writeFileSync: 0, symlinkSync: 1, openSync: 0 };

/** Opening an existing file doesn't change its owner. */
const creates = (name, args) => name !== 'openSync' || (typeof args[1] === 'string' && args[1].startsWith('wx'));

/**
 * Assigns every file that this thread creates from now on to `owner`, a `{uid, gid}`. Otherwise, a single command run
 * as root would leave files that the service's user can't open, and the service could never start again. Call this
 * before other modules import functions from `fs`.
 */
function giveFilesTo({ uid, gid }) {
  for (const [name, position] of Object.entries(MAKERS)) {
    const make = fs[name];
    fs[name] = (...args) => {
      const made = make(...args);
      if (creates(name, args)) fs.lchownSync(args[position], uid, gid);
      return made;
    };
  }
}

module.exports = { giveFilesTo };
