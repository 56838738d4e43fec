import { DEFAULT_SETTINGS } from '../../endpoint/endpoint.entity';
import { definitionOf, readableBy } from './definition';

const checked = { ...DEFAULT_SETTINGS, type: 'TCP', url: 'example.com:25' };
const opened = { headers: [], settings: { starttls: 'smtp' } };

describe('a definition for a probe', () => {
  it('has the settings of the type, with their secrets, unless all of them are defaults', () => {
    expect(definitionOf(checked, opened)).toMatchObject({ type: 'TCP', settings: { starttls: 'smtp' } });
    expect(definitionOf(checked, { headers: [], settings: {} })).not.toHaveProperty('settings');
  });

  it('has the names of the protocol for how a certificate is verified', () => {
    const tls = { verify: true, ca: null, serverName: 'mx.example.com' };
    expect(definitionOf({ ...checked, tls }, opened).tls).toEqual({
      verify: true,
      ca: null,
      server_name: 'mx.example.com',
    });
  });

  it('is of a type that a probe without support for settings does not know, so that it checks nothing else', () => {
    const definition = definitionOf(checked, opened);
    expect(readableBy(definition, true)).toBe(definition);
    const unreadable = readableBy(definition, false);
    expect(unreadable).toMatchObject({ type: 'TCP with settings', url: 'example.com:25' });
    expect(unreadable).not.toHaveProperty('settings');
    const plain = definitionOf(checked, { headers: [], settings: {} });
    expect(readableBy(plain, false)).toBe(plain);
  });
});
