import { ApiProblem } from '../../../web/src/api/client';
import type { ConfigurationPlan } from '../../../web/src/api/types';
import {
  appliedText,
  fieldLines,
  isEmpty,
  placedMessage,
  summaryText,
} from '../../../web/src/logic/configuration-text';

const plan = (summary: Partial<ConfigurationPlan['summary']>): ConfigurationPlan => ({
  summary: { create: 0, update: 0, adopt: 0, delete: 0, unchanged: 0, ...summary },
  changes: [],
  notes: [],
});

describe('the texts about a plan', () => {
  it.each([
    [{ unchanged: 40 }, true, 'Nothing to do: 40 unchanged.', 'No changes were needed.'],
    [
      { create: 2, delete: 1, unchanged: 1200 },
      false,
      '2 to create, 1 to delete, 1,200 unchanged.',
      '2 created, 1 deleted.',
    ],
    [{ update: 1, adopt: 3 }, false, '1 to change, 3 to adopt, 0 unchanged.', '1 changed, 3 adopted.'],
  ])('count planned and applied changes: %j', (summary, empty, before, after) => {
    expect([isEmpty(plan(summary)), summaryText(plan(summary)), appliedText(plan(summary))]).toEqual([
      empty,
      before,
      after,
    ]);
  });

  it('name each setting with its values', () => {
    const fields = [
      { pointer: '/interval', before: 60, after: 30 },
      { pointer: '/follow_redirects', before: null, after: false },
      { pointer: '/tls/ca', before: '(changed)', after: '(changed)' },
    ];
    expect(fieldLines({ action: 'update', resource: 'endpoint', key: 'shop/front', id: 'ep_1', fields })).toEqual([
      { name: 'interval', from: '60', to: '30' },
      { name: 'follow redirects', from: null, to: 'false' },
      { name: 'tls ca', from: '(changed)', to: '(changed)' },
    ]);
  });

  it('name the line of an error, and leave other failures unchanged', () => {
    const errors = [
      { pointer: '/websites/0/url', code: 'required' as const, message: 'url is required', line: 4 },
      { pointer: '/version', code: 'required' as const, message: 'version is required' },
    ];
    const refused = new ApiProblem(400, 'validation_failed', 'Some fields are not valid.', errors);
    expect(placedMessage(refused)).toBe(
      'Some fields are not valid. line 4: url is required; /version: version is required.',
    );
    expect(placedMessage(new ApiProblem(0, 'unreachable', 'The service cannot be reached.'))).toBeNull();
  });
});
