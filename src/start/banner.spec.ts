import { banner, startLines, type Welcome } from './banner';

const told: Welcome = {
  url: 'http://127.0.0.1:3000',
  publicUrl: null,
  auth: true,
  key: { from: 'before' },
  link: 'token',
};
const shown = (changes: Partial<Welcome> = {}): string => banner({ ...told, ...changes });

describe('the banner', () => {
  it('links to this machine without PUBLIC_URL', () => {
    expect(shown()).toContain('Dashboard      http://127.0.0.1:3000/#/sign-in/token ');
    expect(shown({ link: null })).toContain('Dashboard      http://127.0.0.1:3000/ ');
  });

  it('links to PUBLIC_URL, and shows where the service runs and how this machine reaches it', () => {
    const publicUrl = 'https://uptime.example.com/monitor';
    const text = shown({ publicUrl });
    expect(text).toContain(`Dashboard      ${publicUrl}/#/sign-in/token `);
    expect(text).toContain(`API reference  ${publicUrl}/docs `);
    expect(text).toContain('is running at http://127.0.0.1:3000 ');
    expect(text).toContain('curl -s http://127.0.0.1:3000/api/v1/websites');
    expect(shown({ publicUrl, link: null })).toContain(`Dashboard      ${publicUrl}/ `);
  });
});

describe('the lines of a start without a terminal', () => {
  it('show the URL of the service, and neither a key nor a link', () => {
    const made = { ...told, key: { from: 'generated', key: 'ums_a_secret' } } as const;
    expect(startLines(made)).toEqual([
      'Uptime monitor is running at http://127.0.0.1:3000 (API reference: http://127.0.0.1:3000/docs)',
    ]);
  });

  it('show first where the key is, and that everyone may do everything', () => {
    const [key] = startLines({ ...told, key: { from: 'file', path: 'data/bootstrap-api-key' } });
    expect(key).toBe('The first API key is in the file data/bootstrap-api-key');
    expect(startLines({ ...told, auth: false })[0]).toContain('AUTH=off');
  });
});
