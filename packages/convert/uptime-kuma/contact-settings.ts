import { readUrl } from '../../../src/platform/text/read-url';
import { kumaBody } from './custom-body';
import { DECLARED_SETTINGS } from './declared-settings';
import type { Row } from './file/row';
import { type MappedSettings, said } from './mapped-settings';

/** The conversion for each notification type. The keys are Kuma's types in lower case. */
export const SETTINGS_OF: Readonly<Record<string, (row: Row) => MappedSettings>> = {
  ...DECLARED_SETTINGS,
  smtp: (row) => {
    const [to, cc, bcc] = ['smtpTo', 'smtpCC', 'smtpBCC'].map((name) => addressesOf(row.text(name)));
    const port = row.number('smtpPort') ?? (row.flag('smtpSecure') ? 465 : 587);
    const [username, password] = [row.text('smtpUsername'), row.text('smtpPassword')];
    const copies = [...(to?.length === 0 ? [] : (cc ?? []))];
    const recipients = to?.length === 0 ? [...(cc ?? []), ...(bcc ?? [])] : (to ?? []);
    return {
      type: 'email',
      config: said({
        to: recipients,
        cc: copies.length > 0 ? copies : null,
        from: row.text('smtpFrom').trim(),
        smtp: said({
          host: row.text('smtpHost').trim(),
          port,
          // Kuma also uses STARTTLS if the server offers it.
          secure: row.flag('smtpSecure') ? null : false,
          username,
          password,
        }),
      }),
      differences: [
        ...(bcc && bcc.length > 0 && to?.length !== 0 ? ['blind copies (BCC) are not sent'] : []),
        ...(row.flag('smtpIgnoreSTARTTLS') && !row.flag('smtpSecure')
          ? ['STARTTLS is used if the server offers it']
          : []),
        ...(row.flag('smtpIgnoreTLSError') ? ['the certificate of the mail server is verified'] : []),
        ...(row.flag('smtpSecure') && port !== 465
          ? [`implicit TLS is only used on port 465; port ${port} uses STARTTLS`]
          : []),
        ...(!row.flag('smtpSecure') && port === 465 ? ['port 465 uses implicit TLS'] : []),
        ...(row.text('smtpDkimDomain') === '' ? [] : ['emails are not signed (DKIM)']),
        ...(row.text('smtpAdditionalHeaders') === '' ? [] : ['additional headers are not sent']),
        ...custom(row, 'customSubject', 'customBody'),
      ],
    };
  },
  webhook: (row) => {
    const headers = Object.entries(row.mapping('webhookAdditionalHeaders') ?? {}).map(([key, value]) => ({
      key,
      value: String(value),
    }));
    const own = text(row, 'webhookContentType') === 'custom' ? kumaBody(row.text('webhookCustomBody')) : null;
    return {
      type: 'webhook',
      config: said({
        url: row.text('webhookURL').trim(),
        headers: headers.length > 0 ? headers : null,
        body: own?.body,
        audience: own?.body === undefined ? null : 'people',
      }),
      differences: [
        ...(own?.body === undefined
          ? ['it receives the signed JSON of this service, not the JSON of Uptime Kuma']
          : []),
        ...(own?.differences ?? []),
        ...(/^get$/i.test(row.text('httpMethod')) ? ['it is called with POST, not with GET'] : []),
        ...(row.text('webhookAdditionalHeaders').trim() !== '' && row.mapping('webhookAdditionalHeaders') === null
          ? ['its additional headers are left out because they are not a JSON object']
          : []),
      ],
    };
  },
  slack: (row) => {
    const notify = row.flag('slackchannelnotify');
    return {
      type: 'slack',
      config: said({
        webhook_url: row.text('slackwebhookURL').trim(),
        channel: row.text('slackchannel').trim(),
        username: row.text('slackusername').trim(),
        mention: notify ? '@channel' : null,
      }),
      differences: [
        ...(row.text('slackiconemo') === '' ? [] : ['its icon is not set']),
        ...custom(row, 'slackUseTemplate'),
      ],
    };
  },
  discord: (row) => {
    const given = readUrl(row.text('discordWebhookUrl').trim());
    const kind = row.text('discordChannelType');
    const thread = kind === '' || kind === 'postToThread' ? row.text('threadId').trim() : '';
    return {
      type: 'discord',
      config: said({
        webhook_url: given === null ? row.text('discordWebhookUrl') : given.href,
        username: row.text('discordUsername').trim(),
        thread_id: thread,
        content: row.text('discordPrefixMessage').trim(),
      }),
      differences: [
        ...(kind === 'createNewForumPost' ? ['it posts to the channel and does not create a forum post'] : []),
        ...(row.flag('discordSuppressNotifications') ? ['messages are not sent silently'] : []),
        ...(row.text('discordMessageFormat') === 'custom' ? ['its own template is not used'] : []),
        ...custom(row, 'discordUseMessageTemplate'),
      ],
    };
  },
  teams: (row) => ({ type: 'teams', config: said({ webhook_url: row.text('webhookUrl').trim() }), differences: [] }),
  telegram: (row) => ({
    type: 'telegram',
    config: said({
      bot_token: row.text('telegramBotToken').trim(),
      chat_id: row.text('telegramChatID').trim(),
      message_thread_id: row.number('telegramMessageThreadID'),
      api_url: row
        .text('telegramServerUrl')
        .trim()
        .replace(/^https:\/\/api\.telegram\.org\/?$/i, ''),
      silent: row.flag('telegramSendSilently') ? true : null,
    }),
    differences: [
      ...(row.flag('telegramProtectContent') ? ['messages can be forwarded and saved'] : []),
      ...custom(row, 'telegramUseTemplate'),
    ],
  }),
  pagerduty: (row) => {
    const url = row.text('pagerdutyIntegrationUrl').trim();
    const isEu = /events\.eu\.pagerduty\.com/i.test(url);
    const base = readUrl(url);
    const isOther = base !== null && !/^events\.(eu\.)?pagerduty\.com$/i.test(base.hostname);
    return {
      type: 'pagerduty',
      config: said({
        routing_key: row.text('pagerdutyIntegrationKey').trim(),
        severity: row.text('pagerdutyPriority') || 'warning',
        region: isEu ? 'eu' : null,
        api_url: isOther ? base.origin : null,
      }),
      ...(/^0?$/.test(row.text('pagerdutyAutoResolve')) ? { tellsResolved: false } : {}),
      differences:
        row.text('pagerdutyAutoResolve') === 'acknowledge'
          ? ['after a recovery, the incident is resolved, not acknowledged']
          : [],
    };
  },
  opsgenie: (row) => ({
    type: 'opsgenie',
    config: said({
      api_key: row.text('opsgenieApiKey').trim(),
      region: row.text('opsgenieRegion') === 'eu' ? 'eu' : null,
      priority: `P${row.text('opsgeniePriority').trim() || '3'}`,
    }),
    differences: [],
  }),
  twilio: (row) => {
    const service = row.text('twilioMessagingServiceSID').trim();
    return {
      type: 'twilio',
      config: said({
        account_sid: row.text('twilioAccountSID').trim(),
        api_key_sid: row.text('twilioApiKey').trim(),
        auth_token: row.text('twilioAuthToken').trim(),
        to: row.text('twilioToNumber').replace(/[\s().-]/g, ''),
        ...(service === '' ? { from: row.text('twilioFromNumber').trim() } : { messaging_service_sid: service }),
      }),
      differences: [],
    };
  },
};

const text = (row: Row, name: string): string => row.text(name).trim();

const custom = (row: Row, ...names: string[]): string[] =>
  names.some((name) => row.text(name).trim() !== '' && row.flag(name))
    ? ['its own template is not used: messages have the format of this service']
    : [];

/** Converts `Ops <ops@example.com>, b@example.com` to plain addresses. */
const addressesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,;]/)
      .map((part) => (/<([^<>]*)>/.exec(part)?.[1] ?? part).trim())
      .filter((part) => part !== ''),
  ),
];
