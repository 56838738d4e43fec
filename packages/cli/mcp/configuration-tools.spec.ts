import { changesOf } from './configuration-tools';

const summary = { create: 0, update: 1, adopt: 0, delete: 0, unchanged: 0 };
const planOf = (fields: { pointer: string; before?: unknown; after?: unknown }[], notes: string[] = []) => ({
  summary,
  changes: [{ action: 'update', resource: 'contact', key: 'chat', id: 'ct_1', fields }],
  notes: notes.map((message) => ({ key: null, message })),
});

describe('a plan with a bounded size', () => {
  it('shows values as JSON, and only the fact that a secret changes', () => {
    const fields = [
      { pointer: '/name', before: 'A', after: 'B "quoted"' },
      { pointer: '/tags', before: [], after: ['x'] },
      { pointer: '/description', after: 'new' },
      { pointer: '/config/webhook_url', before: '(changed)', after: '(changed)' },
    ];
    expect(changesOf(planOf(fields)).changes[0]?.fields).toEqual([
      { pointer: '/name', before: '"A"', after: '"B \\"quoted\\""' },
      { pointer: '/tags', before: '[]', after: '["x"]' },
      { pointer: '/description', before: 'null', after: '"new"' },
      { pointer: '/config/webhook_url', before: '(changed)', after: '(changed)' },
    ]);
  });

  it('counts the changes that it leaves out', () => {
    const fields = Array.from({ length: 25 }, (_, index) => ({ pointer: `/${index}`, after: 'y'.repeat(500) }));
    const { changes, notes, notes_omitted: left } = changesOf(planOf(fields, Array<string>(23).fill('History goes.')));
    expect([changes[0]?.fields.length, changes[0]?.fields_omitted, notes.length, left]).toEqual([20, 5, 20, 3]);
    expect(changes[0]?.fields[0]?.after).toHaveLength(200);
  });
});
