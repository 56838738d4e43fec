import fc from 'fast-check';
import { libpqVariables, withLibpq } from './libpq-environment';
import { PostgresServer } from './postgres-server';
import { serverConnection } from './server-connection';

const FILES = { rootCert: '/root', cert: '/cert', key: '/key' };

describe('the environment for the programs of libpq', () => {
  it('has the same meaning as the options of pg, for every URL', () => {
    const text = fc.string({ unit: 'grapheme-composite', minLength: 1, maxLength: 12 });
    const host = fc.constantFrom('db.example.com', '10.0.0.5', '[fd00::5]', '%2Frun%2Fpostgresql');
    const hosts = fc.array(fc.tuple(host, fc.constantFrom('', ':1', ':5433')), { minLength: 1, maxLength: 3 });
    const mode = fc.constantFrom('', 'disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify');
    const environment = fc.record(
      {
        PGHOST: fc.constant('env'),
        PGPORT: fc.constant('6000'),
        PGUSER: text,
        PGPASSWORD: text,
        PGDATABASE: text,
        PGOPTIONS: text,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.record({ user: text, password: text, database: text, options: text }, { requiredKeys: [] }),
        hosts,
        mode,
        environment,
        ({ user, password, database, options }, list, sslmode, variables) => {
          const account =
            user === undefined
              ? ''
              : `${encodeURIComponent(user)}${password === undefined ? '' : `:${encodeURIComponent(password)}`}@`;
          const where = list.map((each) => each.join('')).join(',');
          const query = new URLSearchParams({
            ...(options === undefined ? {} : { options }),
            ...(sslmode === '' ? {} : { sslmode }),
          });
          const connection = serverConnection(
            `postgres://${account}${where}/${database === undefined ? '' : encodeURIComponent(database)}?${query.toString()}`,
            variables,
          );
          const server = new PostgresServer(connection);
          const libpq = libpqVariables(connection, FILES);
          for (const [index, each] of connection.servers.entries()) {
            const pg = server.configFor(each);
            expect({
              host: libpq['PGHOST']?.split(',')[index],
              port: Number(libpq['PGPORT']?.split(',')[index]),
              user: libpq['PGUSER'],
              password: libpq['PGPASSWORD'],
              database: libpq['PGDATABASE'],
              options: libpq['PGOPTIONS'],
            }).toEqual({
              host: pg.host,
              port: pg.port,
              user: pg.user,
              password: pg.password,
              database: pg.database,
              options: pg.options,
            });
            const verified =
              typeof pg.ssl === 'object'
                ? pg.ssl.rejectUnauthorized === false
                  ? 'require'
                  : 'verify-full'
                : 'disable';
            // Like libpq, ignores the mode on a socket.
            if (!each.host.startsWith('/')) expect(libpq['PGSSLMODE']).toBe(verified);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([
    ['', 'disable'],
    ['?sslmode=disable', 'disable'],
    ['?sslmode=prefer', 'verify-full'],
    ['?sslmode=require', 'verify-full'],
    ['?sslmode=verify-ca', 'verify-full'],
    ['?sslmode=verify-ca&sslrootcert=x', 'verify-ca'],
    ['?sslmode=verify-full', 'verify-full'],
    ['?sslmode=no-verify', 'require'],
    ['?ssl=true', 'verify-full'],
    ['?ssl=no-verify', 'require'],
    ['?ssl=false', 'disable'],
    ['?sslrootcert=system', 'verify-full'],
    ['?sslmode=require&uselibpqcompat=true', 'require'],
    ['?sslmode=require&sslrootcert=x&uselibpqcompat=true', 'verify-ca'],
    ['?sslmode=prefer&uselibpqcompat=true', 'require'],
  ])('has the mode of the service with "%s"', (query, expected) => {
    expect(libpqVariables(serverConnection(`postgres://h/d${query}`, {}), FILES)['PGSSLMODE']).toBe(expected);
  });

  it('contains the password file and no other variable of libpq', async () => {
    const own = { PATH: '/bin', PGSERVICE: 'other', PGHOSTADDR: '10.0.0.1', PGPASSFILE: '/passwords' };
    const given = await withLibpq(
      serverConnection('postgres://u@h/d', {}),
      (environment) => Promise.resolve(environment),
      own,
    );
    expect(given).toMatchObject({ PATH: '/bin', PGPASSFILE: '/passwords', PGHOST: 'h' });
    expect(Object.keys(given)).not.toEqual(expect.arrayContaining(['PGSERVICE']));
    expect(Object.keys(given)).not.toEqual(expect.arrayContaining(['PGHOSTADDR']));
  });

  it.each([
    ['postgres://h1,h2/d', 'read-write'],
    ['postgres://h1,h2/d?target_session_attrs=any', 'any'],
    ['postgres://h1,h2/d?target_session_attrs=primary', 'primary'],
    ['postgres://h1/d', 'any'],
  ])('for %s accepts a server that is %s', (url, attributes) => {
    expect(libpqVariables(serverConnection(url, {}), FILES)['PGTARGETSESSIONATTRS']).toBe(attributes);
  });
});
