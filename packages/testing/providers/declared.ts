import { FAKE_APPRISE, FAKE_HOME_ASSISTANT } from './hubs';
import { FAKE_ALERTMANAGER, FAKE_ILERT, FAKE_SPLUNK_ONCALL } from './paging';
import { FAKE_BARK, FAKE_GOTIFY, FAKE_NTFY, FAKE_PUSHBULLET, FAKE_PUSHOVER } from './phone-push';
import {
  FAKE_DINGTALK,
  FAKE_FEISHU,
  FAKE_GOOGLE_CHAT,
  FAKE_LINE,
  FAKE_MATRIX,
  FAKE_MATTERMOST,
  FAKE_ROCKETCHAT,
  FAKE_SIGNAL,
  FAKE_WECOM,
  FAKE_ZULIP,
} from './team-chat';
import type { VendorFake } from './vendor-fake';

/** The fakes of the services whose channels are declarations, by channel type. */
export const DECLARED_FAKES: Readonly<Record<string, VendorFake>> = {
  ntfy: FAKE_NTFY,
  gotify: FAKE_GOTIFY,
  pushover: FAKE_PUSHOVER,
  pushbullet: FAKE_PUSHBULLET,
  bark: FAKE_BARK,
  mattermost: FAKE_MATTERMOST,
  google_chat: FAKE_GOOGLE_CHAT,
  rocketchat: FAKE_ROCKETCHAT,
  matrix: FAKE_MATRIX,
  zulip: FAKE_ZULIP,
  signal: FAKE_SIGNAL,
  feishu: FAKE_FEISHU,
  dingtalk: FAKE_DINGTALK,
  wecom: FAKE_WECOM,
  line: FAKE_LINE,
  apprise: FAKE_APPRISE,
  home_assistant: FAKE_HOME_ASSISTANT,
  alertmanager: FAKE_ALERTMANAGER,
  splunk_oncall: FAKE_SPLUNK_ONCALL,
  ilert: FAKE_ILERT,
};
