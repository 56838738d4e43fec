import { html } from '../../platform/text/html';

/** A text for content and attributes of XML 1.0, which has no place for some characters, not even escaped. */
export const xml = (text: string): string =>
  html(text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd'));
