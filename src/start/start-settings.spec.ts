import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { StartError } from '../platform/config/start-error';
import { startSettings } from './start-settings';

describe('the settings of a start', () => {
  let other: Server;
  let taken: string;

  beforeAll(async () => {
    other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    taken = String((other.address() as AddressInfo).port);
  });
  afterAll(() => other.close());

  it('are given with the variables that they were read from', async () => {
    const environment = { PORT: '0', BILLING_CURRENCY: 'CHF' };
    expect(await startSettings(environment)).toMatchObject({ environment, config: { port: 0, host: '127.0.0.1' } });
  });

  it.each([
    [
      'the port of another program',
      () => ({ PORT: taken }),
      () =>
        `PORT: ${taken} is already used by another program on 127.0.0.1. Stop that program, or set PORT to a free port.`,
    ],
    [
      'an address of another machine',
      () => ({ HOST: '192.0.2.1' }),
      () =>
        'HOST: 192.0.2.1 is not an address of this machine. Set HOST to an address of this machine, or to 0.0.0.0 for all of them.',
    ],
    [
      'a name without an address',
      () => ({ HOST: 'monitor.invalid' }),
      () => 'HOST: the name monitor.invalid has no address. Set HOST to an address of this machine, such as 127.0.0.1.',
    ],
  ])('are refused with %s', async (_what, environment, sentence) => {
    await expect(startSettings(environment())).rejects.toEqual(new StartError(sentence()));
  });

  it.each([
    ['extensions', { EXTENSIONS: './not-there' }],
    ['a misspelt setting', { LOGLEVEL: 'info' }],
  ])('leave the address to a later step when %s must be told of first', async (_what, more) => {
    expect(await startSettings({ PORT: taken, ...more })).toMatchObject({ config: { port: Number(taken) } });
  });
});
