/**
 * @lane slow
 * @databases both
 */
import { ACCOUNT_MAIL_RETENTION, AccountMailJob } from '../../../src/delivery/account-mail.job';
import { InstallationPeople } from '../../../src/identity/people/installation-people.service';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import { SmtpSink } from '../../../packages/testing/servers/smtp-sink';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Browser } from '../../harness/app/browser';
import { hashCheaply, newPerson, newSecondFactor, PASSWORD } from '../../harness/app/person';

const HOME = 'https://uptime.example.com';

describe('the email about an account', () => {
  let app: TestApp;
  let sink: SmtpSink;
  let ada: Browser & { id: string };
  let uuid: string;
  let names = 0;

  const send = () => app.app.get(AccountMailJob).run();
  const waiting = () => app.app.get(Database).query('SELECT FROM account_mail WHERE sent_at IS NULL');
  const subjectOf = (raw: string): string => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? '';
  const password = (from: string, to: string) =>
    ada.send('PUT', '/auth/account', { password: to, current_password: from });

  beforeAll(async () => {
    sink = await SmtpSink.start({ tls: 'none' });
    app = await startOwnApp({
      role: 'api',
      rateLimitPerSecond: 0,
      publicUrl: HOME,
      smtpUrl: `smtp://127.0.0.1:${sink.port}`,
      smtpFrom: 'Uptime <uptime@example.com>',
    });
    hashCheaply(app);
  });
  beforeEach(async () => {
    ada = await newPerson(app.admin, `Ada ${++names}`, 'read');
    uuid = parseId('person', ada.id) ?? '';
  });
  afterEach(() => sink.verify());
  afterAll(async () => {
    await app.close();
    await sink.stop();
  });

  it('contains what changed, when, and from where, and what to do, and no text that a user can choose', async () => {
    sink.expect({ accept: true });
    expect((await password(PASSWORD, 'a mill by the river')).status).toBe(200);
    await send();
    const [mail] = sink.mails;
    expect(mail).toMatchObject({ from: 'uptime@example.com', recipients: [`ada.${names}@example.com`] });
    const raw = mail?.raw ?? '';
    expect(subjectOf(raw)).toBe('Your password was changed');
    for (const part of [
      /When: \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
      /From: 127\.0\.0\.1/,
      new RegExp(`Account: ada\\.${names}@example\\.com`),
      /#\/settings\/account/,
      /end your other sessions/,
    ])
      expect(raw.replace(/=\r?\n/g, '')).toMatch(part);
    expect(raw).not.toContain(`Ada ${names}`);
    expect(await waiting()).toEqual([]);
  });

  it('is sent when a link sets the password, an identity is added or removed, and to both addresses when the email changes', async () => {
    sink.standingScript({ accept: true });
    const machine = app.app.get(InstallationPeople);
    const { body } = await app.admin.post<{ token: string }>(`/people/${ada.id}/password-link`);
    await ada.send('POST', '/auth/password', { token: body.token, password: PASSWORD });
    await machine.connect(uuid, 'https://login.example.com', `ada ${names}`);
    await machine.disconnect(uuid);
    await machine.setEmail(uuid, `new.${names}@example.com`);
    await send();
    expect(sink.mails.map(({ recipients, raw }) => `${recipients.join()} ${subjectOf(raw)}`).sort()).toEqual(
      [
        `ada.${names}@example.com Single sign-on was connected to your account`,
        `ada.${names}@example.com Single sign-on was disconnected from your account`,
        `ada.${names}@example.com Your email address was changed`,
        `ada.${names}@example.com Your password was set with a link`,
        `new.${names}@example.com Your email address was changed`,
      ].sort(),
    );
  });

  it('is sent when a second factor is added, and when the operator resets it', async () => {
    sink.standingScript({ accept: true });
    await newSecondFactor({ browser: ada });
    await app.app.get(InstallationPeople).resetSecondFactor(uuid);
    await send();
    expect(sink.mails.map(({ raw }) => subjectOf(raw)).sort()).toEqual([
      'A second factor was added to your account',
      'The second factor was removed from your account',
    ]);
  });

  it('is tried again after a failure, and given up in the end', async () => {
    await password(PASSWORD, 'a mill by the river');
    sink.expect({ refuse: 'message', code: 451, text: 'later' });
    await send();
    expect(await waiting()).toHaveLength(1);
    await send();
    await app.advance('61 s');
    sink.expect({ refuse: 'message', code: 550, text: 'never' });
    await send();
    expect(await waiting()).toEqual([]);
  });

  it('is sent ten times an hour at most for one account, and is deleted after a day', async () => {
    sink.standingScript({ accept: true });
    const machine = app.app.get(InstallationPeople);
    for (let n = 0; n < 12; n++)
      await machine.setEmail(uuid, n % 2 === 0 ? `b.${names}@example.com` : `a.${names}@example.com`);
    for (let n = 0; n < 3; n++) await send();
    expect(sink.mails).toHaveLength(10);
    await app.app.get(Database).query(`UPDATE account_mail SET created_at = created_at - interval '25 hours'`);
    await app.app.get(RetentionJob).run(ACCOUNT_MAIL_RETENTION);
    expect(await app.app.get(Database).query('SELECT FROM account_mail')).toEqual([]);
  });

  it('is not stored without SMTP_URL', async () => {
    const other = await startOwnApp({ role: 'api' });
    hashCheaply(other);
    const bo = await newPerson(other.admin, 'Bo', 'read');
    await bo.send('PUT', '/auth/account', { password: 'a mill by the river', current_password: PASSWORD });
    expect(await other.app.get(Database).query('SELECT FROM account_mail')).toEqual([]);
    await other.close();
  });
});
