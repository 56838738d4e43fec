import { appliedSummary, changeCount, type Plan, type PlannedChange, planLines } from './plan-text';
import { painter } from './style';

const NOTHING = { create: 0, update: 0, adopt: 0, delete: 0, unchanged: 7 };
const planOf = (changes: PlannedChange[], summary = {}, notes: Plan['notes'] = []): Plan => ({
  summary: { ...NOTHING, ...summary },
  changes,
  notes,
});
const change = (action: string, fields: PlannedChange['fields'] = []): PlannedChange => ({
  action,
  resource: 'endpoint',
  key: 'shop/front',
  id: action === 'create' ? null : 'ep_1',
  fields,
});
const field = (pointer: string, before: unknown, after: unknown) => ({ pointer, before, after });
const linesOf = (plan: Plan, hasColour = false) => planLines(plan, painter(hasColour));

describe('the text of a plan', () => {
  it.each([
    ['a creation', change('create', [field('/name', null, 'Front')]), ['+ endpoint shop/front']],
    ['a deletion', change('delete'), ['- endpoint shop/front']],
    ['an adoption', change('adopt'), ['= endpoint shop/front  (ep_1)']],
    ['one changed field', change('update', [field('/interval', 60, 30)]), ['~ endpoint shop/front  interval 60 → 30']],
    [
      'several changed fields',
      change('update', [field('/name', 'A', 'B'), field('/status_page/slug', null, 'shop')]),
      ['~ endpoint shop/front', '    name              "A" → "B"', '    status_page.slug  none → "shop"'],
    ],
    [
      'a secret',
      change('update', [field('/config/webhook_url', '********', '(changed)')]),
      ['~ endpoint shop/front  config.webhook_url (changed)'],
    ],
    ['escaped names', change('update', [field('/a~1b/c~0d', 1, 2)]), ['~ endpoint shop/front  a/b.c~d 1 → 2']],
    [
      'text that would control the terminal',
      { ...change('delete'), key: 'shop/\u001b[2Jfront', resource: 'maintenance_window' },
      ['- maintenance window shop/ [2Jfront'],
    ],
  ])('shows %s', (_, planned, expected) => {
    expect(linesOf(planOf([planned])).slice(0, -1)).toEqual(expected);
  });

  it('cuts long values', () => {
    const [line = ''] = linesOf(planOf([change('update', [field('/body', 'x'.repeat(5000), null)])]));
    expect(line.length).toBeLessThan(200);
  });

  it('ends with the notes and the totals', () => {
    const notes = [
      { key: 'shop', message: 'stays: others declared something in it' },
      { key: null, message: 'general' },
    ];
    const plan = planOf([change('create')], { create: 1, delete: 2 }, notes);
    expect(linesOf(plan).slice(1)).toEqual([
      'Note: shop: stays: others declared something in it',
      'Note: general',
      'Plan: 1 to create, 0 to update, 0 to adopt, 2 to delete; 7 unchanged.',
    ]);
    expect([changeCount(plan), appliedSummary(plan)]).toEqual([
      3,
      'Applied: 1 created, 0 updated, 0 adopted, 2 deleted; 7 unchanged.',
    ]);
  });

  it('says when there is nothing to do', () => {
    expect(linesOf(planOf([]))).toEqual(['Nothing to do: 7 unchanged.']);
  });

  it('has colors only if they are requested', () => {
    expect(linesOf(planOf([change('delete')]), true)[0]).toBe('\u001b[31m- endpoint shop/front\u001b[0m');
  });
});
