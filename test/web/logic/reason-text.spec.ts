import { ERROR_CODES } from '../../../src/checker/checker';
import { reasonText } from '../../../web/src/logic/reason-text';

it('describes every reason of a failed check in words, not by its code', () => {
  for (const code of ERROR_CODES) expect(reasonText(code)).toMatch(/^[A-Z][A-Za-z]* [A-Za-z]/);
  expect(reasonText('dns_not_found')).toBe('The name does not exist');
});
