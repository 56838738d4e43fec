import { summary } from './status-html';

type Endpoints = Parameters<typeof summary>[0]['endpoints'];

describe('the headline of a public page', () => {
  it.each([
    ['down', ['down', 'up', 'up'], '1 of 3 does not work'],
    ['down', ['down', 'down', 'up'], '2 of 3 do not work'],
    ['down', ['down', 'down'], 'Nothing works'],
    ['up', ['up', 'up'], 'Everything works'],
  ] as const)('%s, of %j: %s', (status, statuses, text) => {
    const endpoints = statuses.map((each) => ({ status: each })) as unknown as Endpoints;
    expect(summary({ status, endpoints })).toBe(text);
  });
});
