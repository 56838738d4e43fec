import { ExportNotes, type Exported, headLines } from './notes';

const exported = (more: Partial<Exported> = {}): Exported => ({
  organization: 'Example',
  owner: undefined,
  at: new Date('2026-11-20T09:00:00Z'),
  resources: 3,
  secrets: [],
  notes: [],
  ...more,
});

describe('the notes at the top of an export', () => {
  it('state what it is, when it was created, and how to apply it', () => {
    expect(headLines(exported())).toEqual([
      'Configuration of Example, exported at 2026-11-20T09:00:00.000Z.',
      'See what it would change with "uptime plan FILE", and apply it with "uptime apply FILE".',
      '',
    ]);
  });

  it('name the owner, the secrets, and the omissions', () => {
    const lines = headLines(exported({ owner: 'shop-repo', secrets: ['A', 'B'], notes: ['Left out: x'] }));
    expect(lines[0]).toBe(
      'Configuration of Example (only the resources of shop-repo), exported at 2026-11-20T09:00:00.000Z.',
    );
    expect(lines).toEqual(expect.arrayContaining(['  A', '  B', 'Left out: x']));
  });

  it('name at most 200 secrets, and count the others', () => {
    const secrets = Array.from({ length: 250 }, (_, i) => `S${i}`);
    expect(headLines(exported({ secrets })).slice(-3)).toEqual(['  S199', '  and 50 more', '']);
  });

  it('explain how to continue if the export is too large for one plan', () => {
    expect(headLines(exported({ resources: 5000 })).join('\n')).not.toContain('split');
    expect(headLines(exported({ resources: 5001 })).at(-2)).toMatch(
      /^The document declares 5001 resources, but at most 5000 /,
    );
  });

  it('cannot be escaped by a name with line breaks', () => {
    const notes = new ExportNotes();
    notes.add('Ended', 'a\u2028b\nversion: 2');
    const lines = headLines(exported({ organization: 'Evil\r\nowner: x', notes: notes.lines }));
    expect(lines.join('')).not.toMatch(/[\r\n\u2028]/);
  });

  it('name at most 20 resources of a kind, and count the others', () => {
    const notes = new ExportNotes();
    for (let i = 0; i < 25; i++) notes.add('Left out', `x${i}`);
    expect(notes.lines).toEqual([expect.stringMatching(/^Left out: x0, x1, .*, x19 and 5 more$/)]);
  });
});
