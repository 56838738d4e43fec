import { CONTRACT, callerOf, OPERATIONS } from './contract';
import { operationOf } from './openapi';

describe('the operation of a request', () => {
  const nameOf = (method: string, path: string) => operationOf(OPERATIONS, method, path)?.name;

  it('is found by its method and by its path with the values in it', () => {
    expect(nameOf('GET', '/api/v1/websites/ws_1')).toBe('GET /api/v1/websites/{id}');
    expect(nameOf('DELETE', '/api/v1/websites/ws_1')).toBe('DELETE /api/v1/websites/{id}');
  });

  it('is a literal path rather than one with a parameter in its place', () => {
    expect(nameOf('GET', '/api/v1/alerts/events')).toBe('GET /api/v1/alerts/events');
    expect(nameOf('GET', '/api/v1/organizations/audit-log')).toBe('GET /api/v1/organizations/audit-log');
  });

  it('is not found if the document does not have it', () => {
    expect([nameOf('PATCH', '/api/v1/websites'), nameOf('GET', '/api/v1/websites/a/b')]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('the contract', () => {
  it('has every operation of the committed document except the plain ones', () => {
    const all = Object.values(CONTRACT.paths).flatMap((methods) => Object.values(methods));
    const count = all.filter((operation) => !operation['x-plain']).length;
    expect([OPERATIONS.length, count > 70]).toEqual([count, true]);
  });

  it.each([
    ['listWebsites', 'read'],
    ['createWebsite', 'write'],
    ['planConfiguration', 'read'],
    ['applyConfiguration', 'write'],
    ['createApiKey', 'admin'],
    ['getSystem', 'admin'],
    ['getCurrentOrganization', 'read'],
    ['createOrganization', 'operator'],
    ['showStatusPage', 'public'],
    ['signOut', 'public'],
    ['getAccount', 'person'],
    ['listProbes', 'read'],
    ['rotateProbe', 'admin'],
    ['listSharedProbes', 'operator'],
  ])('knows who may call %s: %s', (id, caller) => {
    const operation = OPERATIONS.find(({ operationId }) => operationId === id);
    expect(operation && callerOf(operation)).toBe(caller);
  });
});
