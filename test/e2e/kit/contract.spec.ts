/** @lane slow */
import { describeService } from '../../../packages/testing/contract/describe-service';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { hashCheaply } from '../../harness/app/person';

const LISTS = [
  '/websites',
  '/endpoints',
  '/alerts',
  '/alerts/events',
  '/contacts',
  '/maintenance-windows',
  '/status-pages',
  '/reports/links',
  '/deliveries?state=failed',
];

describe('a new service', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp();
    hashCheaply(app);
  });
  afterAll(() => app.close());

  describeService(() => app.url, {
    admin: () => app.admin.key,
    write: () => app.write.key,
    read: () => app.read.key,
    operator: () => app.operator.key,
  });

  describe('after the public contract was proved', () => {
    it('has no additional data', async () => {
      const left = [];
      for (const path of LISTS) left.push([path, (await app.admin.get(path)).body]);
      expect(left).toEqual(LISTS.map((path) => [path, []]));
      const organizations = await app.operator.get<{ name: string }[]>('/organizations');
      expect(organizations.body.map(({ name }) => name)).toEqual(['Default']);
      const keys = await app.admin.get<{ name: string }[]>('/api-keys');
      expect(keys.body.filter(({ name }) => name.startsWith('contract-'))).toEqual([]);
    });
  });
});
