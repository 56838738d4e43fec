import { leftBehind } from './extension-migrations';

const row = (extension: string, name: string) => ({ extension, name });

describe('what extensions have left behind', () => {
  it('is nothing while every migration that ran is here, with whatever others', () => {
    expect(
      leftBehind([row('billing', 'A1')], [row('billing', 'A1'), row('billing', 'B2'), row('stock', 'A1')]),
    ).toEqual([]);
  });

  it('is told once of each extension that is gone, with what it had migrated', () => {
    const rows = [row('billing', 'A1'), row('billing', 'B2'), row('stock', 'A1')];
    expect(leftBehind(rows, [row('stock', 'A1')])).toEqual([
      'Extension "billing" is no longer loaded. Its tables and their rows are kept (A1, B2).',
    ]);
  });

  it('is told of an extension that was set back to an older version', () => {
    expect(leftBehind([row('billing', 'A1'), row('billing', 'B2')], [row('billing', 'A1')])).toEqual([
      'Extension "billing" is older than its tables: it does not contain the migrations B2. Nothing was undone.',
    ]);
  });
});
