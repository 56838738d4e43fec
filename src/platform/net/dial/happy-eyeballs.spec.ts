import { type DialError } from './dial-error';
import { raceToConnect } from './happy-eyeballs';

const rules = () => ({
  port: 9,
  signal: new AbortController().signal,
  phases: { dnsMs: null, connectMs: null, tlsMs: null },
  unread: false,
  inflow: undefined,
});

describe('raceToConnect', () => {
  it('connects to addresses only, and does not look up a name that no policy has judged', async () => {
    const error = await raceToConnect(['localhost'], rules()).catch((reason: DialError) => reason);
    expect(error).toMatchObject({ code: 'internal', local: true, phase: 'connect' });
  });
});
