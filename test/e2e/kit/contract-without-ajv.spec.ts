/** @lane slow */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Simulates that the optional peer dependencies aren't installed. */
const PROGRAM = `
  const Module = require('node:module');
  const resolve = Module._resolveFilename;
  Module._resolveFilename = function (request, ...rest) {
    if (!request.startsWith('ajv')) return resolve.call(this, request, ...rest);
    throw Object.assign(new Error('not installed'), { code: 'MODULE_NOT_FOUND' });
  };
  const { Validator } = require('./packages/testing/contract/document/validator');
  try {
    new Validator({ paths: {}, components: { schemas: {} } });
  } catch ({ message }) {
    console.log(message);
  }
`;

describe('describeService without ajv', () => {
  it('names the package to install', async () => {
    const root = join(__dirname, '../../..');
    const options = ['-r', './scripts/typescript.cjs', '-e', PROGRAM];
    const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: root });
    expect(stdout).toBe('describeService needs ajv and ajv-formats: npm install --save-dev ajv ajv-formats\n');
  });
});
