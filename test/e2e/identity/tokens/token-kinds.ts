/** Every token that grants something to anyone who has it. A new kind needs a row in `table.ts`. */
export const TOKEN_KINDS = [
  'session',
  'session of a key',
  'api key',
  'link of a key',
  'sign-in link',
  'password link',
  'invitation',
  'flow of an invitation',
  'flow that connects',
  'acknowledgement link',
  'probe token',
  'ping URL',
  'push token',
  'ping key',
  'report link',
  'cursor',
] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/**
 * The kinds of tokens that a place creates, or the reason why it creates none. `mints`: other places create tokens by
 * calling it.
 */
export type Made = { tokens: readonly TokenKind[] } | { mints: string } | { no: string };

const tokens = (...kinds: TokenKind[]): Made => ({ tokens: kinds });
const no = (why: string): Made => ({ no: why });

/**
 * Every place in `src` that calls the random generator or a keyed hash of `node:crypto`, or a function listed with
 * `mints` here, by file and function. `test/repository/token-kinds.spec.ts` finds them.
 */
export const PLACES: Readonly<Record<string, Made>> = {
  'identity/session/session.service.ts newToken': { mints: 'newToken' },
  'identity/session/session.service.ts mayConnect': tokens('flow that connects'),
  'identity/session/session.service.ts openIn': tokens('session', 'session of a key'),
  'identity/session/sign-in-links.ts create': tokens('link of a key'),
  'identity/session/sign-in-links.ts make': tokens('sign-in link', 'password link'),
  'identity/people/invitations.service.ts make': tokens('invitation'),
  'identity/single-sign-on/flows.ts make': tokens('flow of an invitation', 'flow that connects'),
  'identity/single-sign-on/flow-cookie.ts macOf': tokens('flow of an invitation', 'flow that connects'),
  'identity/session/request-sessions.ts tokenOf': no('the session of a user of the proxy leaves the service never'),
  'identity/session/known-networks.ts hashOf': no('a network, shown to no one'),
  'identity/person/password-hash.ts hashPassword': no('a salt'),
  'identity/person/recovery-code.ts newRecoveryCode': no('it opens nothing without the password'),
  'identity/person/totp.ts codeAt': no('it opens nothing without the password'),
  'identity/person/totp.ts newTotpSecret': no('it opens nothing without the password'),
  'identity/api-key/api-key-secret.ts generated': tokens('api key', 'probe token'),
  'identity/api-key/api-key-secret.ts hashApiKey': no('what is stored of a key'),
  'website/ping-key.ts newPingKey': tokens('ping key'),
  'report/link/report-link.service.ts create': tokens('report link'),
  'endpoint/heartbeat/heartbeat-addresses.ts newToken': tokens('push token'),
  'endpoint/heartbeat/heartbeat-addresses.ts ADDED': tokens('ping URL'),
  'endpoint/heartbeat/heartbeat-addresses.ts rotateAddress': tokens('ping URL'),
  'delivery/send/acknowledge-token.ts signatureOf': tokens('acknowledgement link'),
  'platform/secrets/opaque-position.ts seal': tokens('cursor'),
  'platform/secrets/secret-box.ts seal': no('encrypts what is stored'),
  'platform/secrets/secret-file.ts writeSecretFile': no('the name of a draft'),
  'platform/secrets/server-secrets.ts onModuleInit': no('keys of the service, shown to no one'),
  'platform/ids/id.ts newUuid': no('an id, which is public'),
  'platform/ids/id.ts random16': no('an id, which is public'),
  'platform/http/precondition/entity-tags.ts of': no('an ETag: it opens nothing'),
  'history/check-id.ts checkId': no('an id, which is public'),
  'history/write/history-backlog.ts lock': no('a pause before another try'),
  'status-page/settings/page-slugs.ts freeSlugs': no('a public name'),
  'channel/vendor/webhook-signature.ts newWebhookSecret': no('signs what we send: it opens nothing here'),
  'channel/vendor/webhook-signature.ts signatureHeaders': no('signs what we send: it opens nothing here'),
  'channel/declared/dingtalk.channel.ts request': no('signs what we send: it opens nothing here'),
  'channel/declared/feishu.channel.ts signatureOf': no('signs what we send: it opens nothing here'),
  'checker/http/http-check.ts authorized': no('a nonce of our request to a target'),
  'checker/postgres/scram.ts constructor': no('a nonce of our sign-in to a target'),
  'checker/postgres/scram.ts hmac': no('proves a password to a target: it opens nothing here'),
  'checker/websocket/frames.ts clientFrame': no('masks a frame, as RFC 6455 requires'),
  'checker/websocket/websocket.checker.ts converse': no('proves that a reply is one to our handshake'),
  'delivery/send/claim.ts attempt': no('a lease between instances'),
  'delivery/send/test-deliveries.ts lease': no('a lease between instances'),
  'checker/dns/dns-query.ts askOverTcp': no('proves that a reply is one to our question'),
  'checker/dns/dns-query.ts askOverUdp': no('proves that a reply is one to our question'),
  'checker/icmp/kernel-socket.ts identifier': no('proves that a reply is one to our echo'),
  'checker/icmp/kernel-transport.ts nextSequence': no('proves that a reply is one to our echo'),
  'checker/icmp/kernel-transport.ts nextToken': no('proves that a reply is one to our echo'),
  'probe-agent/server/probe-session.ts id': no('distinguishes processes with one token: it opens nothing'),
};

/** Every column that could keep a token, by its type or its name. The test finds them in the schema. */
export const COLUMNS: Readonly<Record<string, Made>> = {
  'api_key.hash': tokens('api key'),
  'api_key.lookup': tokens('api key'),
  'check_detail.hash': no('of what a check saw'),
  'check_result.detail_hash': no('of what a check saw'),
  'heartbeat.old_ping_id': tokens('ping URL'),
  'heartbeat.old_push_token': tokens('push token'),
  'heartbeat.ping_id': tokens('ping URL'),
  'heartbeat.push_token': tokens('push token'),
  'idempotency_key.body_digest': no('of a request'),
  'invitation.hash': tokens('invitation'),
  'notification.lease_token': no('a lease between instances'),
  'notification_destination.tokens': no('a rate'),
  'notification_destination.tokens_at': no('a rate'),
  'person.password': no('a hash; what it is of, its person chose'),
  'probe.hash': tokens('probe token'),
  'probe.lookup': tokens('probe token'),
  'probe.previous_hash': tokens('probe token'),
  'probe.previous_lookup': tokens('probe token'),
  'recovery_code.hash': no('a hash of what opens nothing without the password: second-factor.spec.ts'),
  'second_factor.secret': no('encrypted; its codes open nothing without the password: second-factor.spec.ts'),
  'server_secret.value': no('keys of the service, shown to no one'),
  'session.connect_hash': tokens('flow that connects'),
  'session.hash': tokens('session', 'session of a key'),
  'sign_in_link.hash': tokens('link of a key', 'sign-in link', 'password link'),
  'status_page.logo': no('a picture'),
  'status_page.logo_hash': no('of a picture'),
  'report_link.hash': tokens('report link'),
  'website.ping_key': tokens('ping key'),
};
