'use strict';
const fs = require('node:fs');

/**
 * The functions that create a file or directory, with the position of the path. The engine and its files use no others.
 */
const MAKERS = { mkdirSync: 0, writeFileSync: 0, symlinkSync: 1, openSync: 0 };

/** Opening an existing file doesn't change its owner. */
const creates = (name, args) => name !== 'openSync' || (typeof args[1] === 'string' && args[1].startsWith('wx'));

/**
 * Gives every file that this thread creates from now on to `owner`, a `{uid, gid}`. Otherwise one command run as root
 * leaves files that the service's user can't open, and the service never starts again. Call it before other modules
 * import functions of `fs`.
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
