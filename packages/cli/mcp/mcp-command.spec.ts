import { missingPackage } from './mcp-command';

const notFound = (name: string) =>
  Object.assign(new Error(`Cannot find module '${name}'\nRequire stack:\n- zod`), { code: 'MODULE_NOT_FOUND' });

describe('a missing package', () => {
  it.each([
    ['@modelcontextprotocol/server', '@modelcontextprotocol/server'],
    ['@modelcontextprotocol/server/stdio', '@modelcontextprotocol/server'],
    ['zod', 'zod'],
    ['zodiac', null],
    ['./tools', null],
  ])('reports %s as %s', (name, expected) => {
    expect(missingPackage(notFound(name))).toBe(expected);
  });

  it.each([new Error("Cannot find module 'zod'"), 'zod', null])('is not reported for another error', (error) => {
    expect(missingPackage(error)).toBeNull();
  });
});
