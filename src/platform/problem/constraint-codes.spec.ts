import { codeOfConstraint, pointerStep } from './constraint-codes';

describe('codeOfConstraint', () => {
  it.each([
    ['isDefined', 'required'],
    ['isString', 'wrong_type'],
    ['maxLength', 'too_long'],
    ['arrayMaxSize', 'out_of_range'],
    ['whitelistValidation', 'unknown_field'],
  ])('gives the rule %s the code %s', (rule, code) => {
    expect(codeOfConstraint(rule)).toBe(code);
  });

  it('treats a rule that is not listed as a format error', () => {
    expect(codeOfConstraint('isHexColor')).toBe('invalid_format');
  });
});

describe('pointerStep', () => {
  it('escapes the characters that mean something in a JSON pointer', () => {
    expect(pointerStep('a/b~c')).toBe('a~1b~0c');
  });

  it('cuts a long name', () => {
    expect(pointerStep('x'.repeat(500))).toHaveLength(100);
  });
});
