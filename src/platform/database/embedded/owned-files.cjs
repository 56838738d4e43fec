'use strict';
const fs = require('node:fs');

/** How to create a file or a directory, with the position of its path. The engine and its files have no other ways. */
const MAKERS = { mkdirSync: 0, writeFileSync: 0, symlinkSync: 1, openSync: 0 };

/** A file that is only opened keeps its owner. */
const creates = (name, args) => name !== 'openSync' || (typeof args[1] === 'string' && args[1].startsWith('wx'));

/**
 * Gives every file that this thread creates from now on to `owner`, a `{uid, gid}`. Otherwise one command that is run as root leaves
 * files that the service's user cannot open, and the service never starts again. Call it before other modules take functions of `fs`.
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
