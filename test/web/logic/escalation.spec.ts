import type { OverviewItem } from '../../../web/src/api/types';
import type { GroupWebsite } from '../../../web/src/logic/overview-order';
import {
  arranged,
  isDone,
  type Escalation,
  escalationOf,
  escalationPlan,
  escalationRequests,
  escalationTarget,
  escalationText,
  planText,
  type StepAlert,
  secondsOf,
  planLines,
  touched,
  unlikeText,
  withStep,
} from '../../../web/src/logic/escalation';

let id = 0;
const alert = (contact_id: string | null, after: number, endpoint_id = 'ep_1'): StepAlert => ({
  id: `al_${++id}`,
  endpoint_id,
  contact_id,
  after,
  triggered: false,
});

type Short = [minutes: string, ...contacts: string[]][];
const escalation = (...steps: Short): Escalation =>
  steps.map(([minutes, ...contacts], index) => ({ id: index + 1, minutes, contacts }));
const short = (of: Escalation): Short => of.map(({ minutes, contacts }) => [minutes, ...contacts]);

describe('the escalation of existing alerts', () => {
  it.each<[string, StepAlert[], Short]>([
    ['is empty without alerts: no contact at once, and room for half an hour later', [], [['0'], ['30']]],
    [
      'lists the contacts of one endpoint by their delay, and room for twice as long',
      [alert('boss', 1800), alert('pager', 0), alert('chat', 0), alert('mail', 90)],
      [['0', 'pager', 'chat'], ['1.5', 'mail'], ['30', 'boss'], ['60']],
    ],
    [
      'can contain one contact twice',
      [alert('chat', 0), alert('chat', 3600)],
      [['0', 'chat'], ['60', 'chat'], ['120']],
    ],
    ['ignores alerts with their own settings', [alert(null, 600)], [['0'], ['30']]],
    [
      'places each contact where most of several endpoints have it',
      [alert('chat', 0, 'ep_1'), alert('chat', 600, 'ep_2'), alert('chat', 600, 'ep_3')],
      [['0'], ['10', 'chat'], ['20']],
    ],
    [
      'prefers the shorter delay if two are equally frequent',
      [alert('chat', 600, 'ep_1'), alert('chat', 0, 'ep_2')],
      [['0', 'chat'], ['30']],
    ],
    ['proposes nothing after a day', [alert('boss', 86_400)], [['0'], ['1440', 'boss']]],
  ])('%s', (_, alerts, expected) => {
    expect(short(escalationOf(alerts))).toEqual(expected);
  });

  it('does not change them', () => {
    const alerts = [alert('pager', 0), alert('chat', 0), alert('chat', 90), alert(null, 600), alert('boss', 1800)];
    expect(isDone(escalationPlan(escalationOf(alerts), alerts, ['ep_1']))).toBe(true);
  });
});

describe('an escalation that is edited', () => {
  it.each<[string, Short, Short]>([
    [
      'is in the order of the minutes',
      [
        ['0', 'a'],
        ['30', 'c'],
        ['10', 'b'],
      ],
      [['0', 'a'], ['10', 'b'], ['30', 'c'], ['60']],
    ],
    [
      'combines steps with equal minutes',
      [
        ['0', 'a'],
        ['10', 'b'],
        ['10.0', 'c', 'b'],
      ],
      [['0', 'a'], ['10', 'b', 'c'], ['20']],
    ],
    ['drops a step without contacts', [['0', 'a'], ['10'], ['30', 'c']], [['0', 'a'], ['30', 'c'], ['60']]],
    ['keeps the text that is typed into the last step', [['0', 'a'], ['15']], [['0', 'a'], ['15']]],
    ['always shows who is notified at once', [['5', 'a']], [['0'], ['5', 'a'], ['10']]],
    [
      'stays unchanged while a number is invalid',
      [
        ['0', 'a'],
        ['', 'b'],
        ['5', 'c'],
      ],
      [
        ['0', 'a'],
        ['', 'b'],
        ['5', 'c'],
      ],
    ],
  ])('%s', (_, typed, expected) => {
    expect(short(arranged(escalation(...typed)))).toEqual(expected);
  });

  it('recognizes a step after it has moved', () => {
    const steps = arranged(escalation(['0'], ['10', 'a'], ['30', 'b']));
    expect(arranged(withStep(steps, 2, { minutes: '45' })).map((step) => [step.id, step.minutes])).toEqual([
      [0, '0'],
      [3, '30'],
      [2, '45'],
      [4, '60'],
    ]);
  });

  it.each<[string, number | null]>([
    ['10', 600],
    ['1.5', 90],
    ['1440', 86_400],
    ['1441', null],
    ['-1', null],
    ['soon', null],
    [' ', null],
  ])('interprets %j minutes as %s s', (minutes, seconds) => {
    expect(secondsOf({ minutes })).toBe(seconds);
  });

  it('is described in a sentence', () => {
    const steps = escalation(['0', 'On call', 'Team'], ['30', 'Manager'], ['60']);
    expect(escalationText(steps, (name) => name)).toBe('On call and Team at once, Manager after 30 min');
  });
});

describe('saving an escalation', () => {
  const say = (steps: Short, alerts: StepAlert[], endpoints = ['ep_1']) =>
    escalationPlan(escalation(...steps), alerts, endpoints);

  it.each<[string, Short, StepAlert[], string[], string]>([
    [
      'changes nothing if no contact is notified',
      [['0'], ['30']],
      [],
      ['ep_1'],
      'creates no alert rules, changes none, removes none',
    ],
    [
      'creates the missing alerts of endpoints',
      [
        ['0', 'pager', 'chat'],
        ['30', 'boss'],
      ],
      [alert('chat', 0, 'ep_1')],
      ['ep_1', 'ep_2'],
      'creates 5 alert rules, changes none, removes none',
    ],
    [
      'moves an alert',
      [['0'], ['10', 'chat']],
      [alert('chat', 0)],
      ['ep_1'],
      'creates no alert rules, changes 1, removes none',
    ],
    [
      'removes a contact that is no longer notified',
      [['0', 'chat']],
      [alert('chat', 0), alert('mail', 600)],
      ['ep_1'],
      'creates no alert rules, changes none, removes 1',
    ],
    [
      'keeps both alerts of a contact with the same delay, because they differ in something else',
      [['0', 'chat']],
      [alert('chat', 0), alert('chat', 0)],
      ['ep_1'],
      'creates no alert rules, changes none, removes none',
    ],
    [
      'moves both alerts of a contact',
      [['0'], ['5', 'chat']],
      [alert('chat', 0), alert('chat', 0)],
      ['ep_1'],
      'creates no alert rules, changes 2, removes none',
    ],
    [
      'moves the late alert, and keeps the right one',
      [
        ['0', 'chat'],
        ['10', 'chat'],
      ],
      [alert('chat', 0), alert('chat', 3600)],
      ['ep_1'],
      'creates no alert rules, changes 1, removes none',
    ],
    [
      'ignores alerts without a contact',
      [['0']],
      [alert(null, 0)],
      ['ep_1'],
      'creates no alert rules, changes none, removes none',
    ],
  ])('%s', (_, steps, alerts, endpoints, expected) => {
    expect(planText(say(steps, alerts, endpoints))).toBe(expected);
  });

  it('asks once for all endpoints that lack an alert, and separately for a contact that is notified twice', () => {
    const plan = say(
      [
        ['0', 'chat'],
        ['60', 'chat'],
      ],
      [alert('chat', 0, 'ep_3')],
      ['ep_1', 'ep_2', 'ep_3'],
    );
    expect(plan.creates).toEqual([{ contact_id: 'chat', after: 0, endpoint_ids: ['ep_1', 'ep_2'] }]);
    expect(plan.further.map(({ endpoint_id, after }) => [endpoint_id, after])).toEqual([
      ['ep_1', 3600],
      ['ep_2', 3600],
      ['ep_3', 3600],
    ]);
    expect([touched(plan), isDone(plan)]).toEqual([3, false]);
  });

  it('is described line by line', () => {
    const alerts = [alert('chat', 0, 'ep_1'), alert('mail', 600, 'ep_1')];
    const plan = say(
      [
        ['0', 'pager'],
        ['10', 'chat'],
      ],
      alerts,
      ['ep_1', 'ep_2'],
    );
    expect(planLines(plan, (name) => name)).toEqual([
      'New: pager at once, 2 endpoints',
      'New: chat after 10 min',
      'chat: after 10 min instead of at once',
      'Removed: mail after 10 min',
    ]);
  });

  it('shows how many endpoints have other alerts than most of them', () => {
    const alerts = [alert('chat', 0, 'ep_1'), alert('chat', 0, 'ep_2')];
    expect(unlikeText(alerts, ['ep_1', 'ep_2'])).toBeNull();
    expect(unlikeText(alerts, ['ep_1', 'ep_2', 'ep_3'])).toBe('1 of 3 endpoints has different alert rules.');
  });
});

describe('the escalation of a URL', () => {
  const item = (id: string, website: string, tags: string[]) =>
    ({ id, name: id.toUpperCase(), tags, website: { id: website, name: 'Shop' } }) as OverviewItem;
  const items = [item('ep_1', 'ws_1', ['prod']), item('ep_2', 'ws_1', []), item('ep_3', 'ws_2', [])];
  const websites = [
    { id: 'ws_1', name: 'Shop', tags: [] },
    { id: 'ws_2', name: 'Blog', tags: ['prod'] },
  ] as unknown as GroupWebsite[];

  it.each<[string, string, string | null, [string, string[], string] | null]>([
    ['is found for an endpoint', 'ep_2', null, ['EP_2', ['ep_2'], '/api/v1/alerts?endpoint_id=ep_2']],
    ['is found for a website', 'ws_1', null, ['Shop', ['ep_1', 'ep_2'], '/api/v1/alerts?website_id=ws_1']],
    ['is found for a tag, of the endpoint or its website', '', 'prod', ['prod', ['ep_1', 'ep_3'], '/api/v1/alerts']],
    ['nobody’s', '', null, null],
    ['is not found for a deleted resource', 'ep_9', null, null],
  ])('%s', (_, id, tag, expected) => {
    const found = escalationTarget(id, tag, items, websites);
    expect(found && [found.name, found.endpointIds, found.path]).toEqual(expected);
  });
});

describe('the requests of a plan', () => {
  it('create first, then change, and remove last', () => {
    const [late, gone] = [alert('chat', 3600), alert('mail', 0)];
    const endpoints = Array.from({ length: 1001 }, (_, n) => `ep_${n}`);
    const plan = escalationPlan(escalation(['0', 'pager'], ['10', 'chat', 'pager']), [late, gone], endpoints);
    const [first = [], second = [], last] = escalationRequests({ ...plan, further: plan.further.slice(0, 1) });
    expect(first.map(({ method, path, body }) => [method, path, body?.['after']])).toEqual([
      ['POST', '/api/v1/contacts/pager/alerts', 0],
      ['POST', '/api/v1/contacts/pager/alerts', 0],
      ['POST', '/api/v1/contacts/chat/alerts', 600],
      ['PUT', `/api/v1/alerts/${late.id}`, 600],
    ]);
    expect(second).toEqual([
      { method: 'POST', path: '/api/v1/alerts', body: { endpoint_id: 'ep_0', contact_id: 'pager', after: 600 } },
    ]);
    expect(last).toEqual([{ method: 'DELETE', path: `/api/v1/alerts/${gone.id}` }]);
  });
});
