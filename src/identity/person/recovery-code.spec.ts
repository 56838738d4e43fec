import { hashOfRecoveryCode, newRecoveryCode } from './recovery-code';

describe('a recovery code', () => {
  it('has 80 random bits in four groups', () => {
    const codes = Array.from({ length: 100 }, newRecoveryCode);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
    expect(new Set(codes).size).toBe(100);
  });

  it.each(['K3M9-X2QA-7HWN-P4T1', 'k3m9x2qa7hwnp4tl', ' k3m9 x2qa 7hwn p4ti\n', 'k3m9-x2qa-7hwn-p4t1'])(
    'is the same however it is typed: “%s”',
    (typed) => {
      expect(hashOfRecoveryCode(typed)).toEqual(hashOfRecoveryCode('k3m9-x2qa-7hwn-p4t1'));
    },
  );

  it('differs if one character differs', () => {
    expect(hashOfRecoveryCode('k3m9-x2qa-7hwn-p4t1')).not.toEqual(hashOfRecoveryCode('k3m9-x2qa-7hwn-p4t2'));
  });
});
