import fc from 'fast-check';
import { type DatabaseUrl, idleParameters, readDatabaseUrl, WrongDatabaseUrl } from './database-url';

const read = (text: string): DatabaseUrl => {
  const url = readDatabaseUrl(text);
  if (url instanceof WrongDatabaseUrl) throw new Error(url.must);
  return url;
};
const refusal = (text: string): string | null => {
  const url = readDatabaseUrl(text);
  return url instanceof WrongDatabaseUrl ? url.must : null;
};
const ENCODED = 'percent-encoded: %2F, %3F, %23, %40';

describe('readDatabaseUrl', () => {
  it('returns every part unchanged, with any characters', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    const host = fc.constantFrom('db.example.com', '10.0.0.5', '[fd00::5]', '%2Frun%2Fpostgresql', 'db-1');
    const port = fc.constantFrom('', '5432', '65535');
    const servers = fc.array(fc.tuple(host, port), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(text, text, text, text, servers, (user, password, database, options, list) => {
        const [u, p, d, o] = [user, password, database, options].map(encodeURIComponent);
        const where = list.map(([name, at]) => (at === '' ? name : `${name}:${at}`)).join(',');
        const url = read(`postgres://${u}:${p}@${where}/${d}?options=${o}`);
        expect([url.user, url.password, url.database, url.parameters.get('options')]).toEqual([
          user,
          password,
          database,
          options,
        ]);
        const bare = (name: string): string => decodeURIComponent(name.replaceAll(/^\[|\]$/g, ''));
        expect(url.servers).toEqual(list.map(([name, at]) => ({ host: bare(name), port: at })));
      }),
      { numRuns: 200 },
    );
  });

  it('never repeats a part of a URL that it refuses', () => {
    const text = fc.string({ unit: fc.constantFrom(...'s3crET:/?#@%[], \\'), maxLength: 24 });
    fc.assert(
      fc.property(text, (password) => {
        const must = refusal(`postgres://monitor:TOPSECRET${password}@db/monitor`);
        expect(must ?? '').not.toMatch(/TOPSECRET|monitor/);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, Partial<Record<'user' | 'password' | 'database', string>>, [string, string][]]>([
    ['postgres://', { user: '', password: '', database: '' }, [['', '']]],
    ['postgresql://h', { database: '' }, [['h', '']]],
    ['postgres://u:p@ss@h/d', { user: 'u', password: 'p@ss', database: 'd' }, [['h', '']]],
    ['postgres://u:p:w@h:1/d', { user: 'u', password: 'p:w' }, [['h', '1']]],
    ['postgres://u:100%sure@h/d', { password: '100%sure' }, [['h', '']]],
    ['postgres://u:p@/d?host=/run/postgresql', { user: 'u', password: 'p', database: 'd' }, [['/run/postgresql', '']]],
    ['postgres://u@localhost:5433/d?host=/run', {}, [['/run', '5433']]],
    ['postgres://%2Fvar%2Frun:5433/d', { user: '' }, [['/var/run', '5433']]],
    ['postgres://u@h1,h2:5433/d', {}, [['h1', ''], ['h2', '5433']]], // prettier-ignore
    ['postgres:///d?host=h1,h2&port=1,2', {}, [['h1', '1'], ['h2', '2']]], // prettier-ignore
    ['postgres:///d?host=h1,h2&port=7', {}, [['h1', '7'], ['h2', '7']]], // prettier-ignore
    ['postgres://h/d?user=other&password=pw', { user: 'other', password: 'pw' }, [['h', '']]],
    ['postgres://h/a%2Fb', { database: 'a/b' }, [['h', '']]],
  ])('reads %s', (text, parts, servers) => {
    const url = read(text);
    expect(url).toMatchObject(parts);
    expect(url.servers).toEqual(servers.map(([host, port]) => ({ host, port })));
  });

  it.each([
    ['mysql://h/d', 'must be a postgres:// URL or embedded:memory'],
    // Passwords that contain a slash, a question mark, a hash, or all of these.
    ['postgres://u:Kd/8+a==@h/d', ENCODED],
    ['postgres://u:12/34@h/d', ENCODED],
    ['postgres://u:a?b@h/d', ENCODED],
    ['postgres://u:12#b@h/d', ENCODED],
    ['postgres://u:p@ss/w@h/d', ENCODED],
    ['postgres://u:p@h/d#x', ENCODED],
    ['postgres://u:%FF@h/d', 'must be percent-encoded as UTF-8'],
    ['postgres://u:p@h:0/d', 'must have a port from 1 to 65535'],
    ['postgres://u:p@h:x/d', 'must have a port from 1 to 65535'],
    ['postgres://u:p@h h/d', 'must name hosts such as'],
    ['postgres://u:p@h:1:2/d', 'must name hosts such as'],
    ['postgres://h/d?host=a,b,c&port=1,2', 'must have one port for all hosts, or one for each of them'],
    ['postgres://h/d?sslmode=on', 'must have one of disable, allow, prefer, require,'],
    [
      'postgres://h/d?target_session_attrs=standby',
      'must have one of any, read-write, primary as its target_session_attrs',
    ],
  ])('refuses %s with what to do', (text, words) => {
    expect(refusal(text)).toContain(words);
  });

  it('names the parameters that have no effect', () => {
    expect(
      idleParameters(read('postgres://h/d?sslmode=require&connect_timeout=5&keepalives=1&pgbouncer=true&schema=x')),
    ).toEqual(['pgbouncer', 'schema']);
  });
});
