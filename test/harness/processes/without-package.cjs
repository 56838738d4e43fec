'use strict';
// Simulates that the optional package isn't installed: node -r ./scripts/typescript.cjs -r <this> program.ts
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  if (!request.startsWith('@modelcontextprotocol/')) return resolve.call(this, request, ...rest);
  throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
};
