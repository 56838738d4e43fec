import { banner, type Welcome } from './banner';

const shown = (changes: Partial<Welcome> = {}): string =>
  banner({
    url: 'http://127.0.0.1:3000',
    publicUrl: null,
    auth: true,
    isTerminal: true,
    key: { from: 'before' },
    link: 'token',
    ...changes,
  });

describe('the banner', () => {
  it('leads to this machine while nobody has said where people reach it', () => {
    expect(shown()).toContain('Dashboard      http://127.0.0.1:3000/#/sign-in/token ');
    expect(shown({ link: null })).toContain('Dashboard      http://127.0.0.1:3000/ ');
  });

  it('leads people to PUBLIC_URL, and says where it runs and how this machine asks it', () => {
    const publicUrl = 'https://uptime.example.com/monitor';
    const text = shown({ publicUrl });
    expect(text).toContain(`Dashboard      ${publicUrl}/#/sign-in/token `);
    expect(text).toContain(`API reference  ${publicUrl}/docs `);
    expect(text).toContain('is running at http://127.0.0.1:3000 ');
    expect(text).toContain('curl -s http://127.0.0.1:3000/api/v1/websites');
    expect(shown({ publicUrl, link: null })).toContain(`Dashboard      ${publicUrl}/ `);
  });
});
