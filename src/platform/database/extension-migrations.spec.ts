import { leftBehind } from './extension-migrations';

const row = (extension: string, name: string) => ({ extension, name });

describe('migrations that extensions have left behind', () => {
  it('are not reported if every migration that ran exists, with any others', () => {
    expect(
      leftBehind([row('billing', 'A1')], [row('billing', 'A1'), row('billing', 'B2'), row('stock', 'A1')]),
    ).toEqual([]);
  });

  it('are reported once for each missing extension, with its migrations', () => {
    const rows = [row('billing', 'A1'), row('billing', 'B2'), row('stock', 'A1')];
    expect(leftBehind(rows, [row('stock', 'A1')])).toEqual([
      'Extension "billing" is no longer loaded. Its tables and their rows are kept (A1, B2).',
    ]);
  });

  it('are reported for an extension that was set back to an older version', () => {
    expect(leftBehind([row('billing', 'A1'), row('billing', 'B2')], [row('billing', 'A1')])).toEqual([
      'Extension "billing" is older than its tables: it does not contain the migrations B2. Nothing was undone.',
    ]);
  });
});
