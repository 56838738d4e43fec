// The patterns that a native speaker of technical English would rewrite, and what to write instead. Public names
// (fields, settings, metrics) are code and never match. WORDS match anywhere in a text. OPENINGS match at the start of
// a sentence.

const RESOURCES =
  'keys?|accounts?|organi[sz]ations?|endpoints?|websites?|alerts?|contacts?|backups?|links?|invitations?|pages?|windows?|probes?|heartbeats?|incidents?|tokens?|rows?|events?|sessions?|databases?|folders?|files?|requests?|connections?';

/** In the form `[name, pattern, what to write instead, exceptions]`. */
export const WORDS = [
  ['told', /\b(?:told|tells?|telling)\b/i, 'notify (a person), show, contain, report (a document)'],
  ['in hand', /\bin (?:his |her |their |your |its )?hands?\b/i, 'acknowledged, acknowledge'],
  ['whoever', /\bwh(?:o|at|ich)ever\b/i, 'name the person or the thing: anyone who, the operator, any'],
  ['somebody', /\b(?:some|any|no|every)body\b/i, 'someone, no one; better: the user, the admin'],
  [
    'make for create',
    new RegExp(
      `\\b(?:mak(?:es?|ing)|made) (?:an?|the|one|its|your|another|new|of)(?: [\\w-]+){0,2} (?:${RESOURCES})\\b`,
      'i',
    ),
    'create',
  ],
  ['begin', /\b(?:begins?|began|begun|beginnings?)\b/i, 'start'],
  ['ends with 1', /\b(?:ends?|ended) with (?:the code )?[0-9]\b/i, 'exits with code 1'],
  ['stand', /\b(?:stands?|stood)\b(?!(?:ing)? (?:by|for|out|in for|alone)\b)/i, 'is, are'],
  ['beside', /\bbesides?\b/i, 'next to, in addition to, except'],
  ['go on', /\bgo(?:es|ing)? on\b(?! (?:call|vacation))/i, 'continue, resume'],
  ['be gone', /\b(?:is|are|was|were|be) gone\b/i, 'be deleted, no longer exist'],
  ['as ever', /\bas (?:ever|before)\b/i, 'as usual; better: say what happens'],
  ['meanwhile', /\bmeanwhile\b/i, 'in the meantime, since then'],
  ['by itself', /\bby (?:itself|themselves)\b/i, 'automatically'],
  ['further', /\bfurther\b/i, 'more, another, additional'],
  ['of its own', /\bof (?:(?:its|your|their|our|my) own|yours|ours|theirs)\b/i, 'its own, your'],
  ['that of', /\b(?:that|those) of\b/i, 'repeat the noun'],
  [
    'is no',
    /(?<!\bthere )\b(?:is|are|was|were) (?:no|none)\b(?! (?:longer|more|one|need|use|way)\b)/i,
    "isn't a …, isn't one",
  ],
  ['none of', /\bnone of\b/i, 'not in …, no …'],
  ['good check', /\b(?:good|bad) (?:checks?|results?|ones?|pings?|runs?)\b/i, 'successful check, failed check'],
  ['well again', /\b(?:well|up) again\b/i, 'recovered'],
  ['quiet', /\bquiet(?:ly)?\b/i, 'suppressed (alerts), muted (maintenance)'],
  ['by hand', /\bby hand\b/i, 'manually; on demand (a check)'],
  [
    'mail',
    /\be-mail(?:s|ed|ing)?\b|\bmails?\b(?! (?:servers?|transfer|relays?|providers?|clients?|programs?|hosts?|boxes)\b)/i,
    'email',
  ],
  ['the other side', /\bthe other side\b/i, 'the provider, the receiver, the server'],
  ['no such thing', /\bno such thing\b/i, 'not found'],
  ['dear', /\bdear(?:er|est)?\b/i, 'expensive'],
  ['figure', /\bfigures?\b(?! out\b)/i, 'number, value'],
  ['seal', /\b(?:un)?seal(?:s|ed|ing)?\b/i, 'encrypt, decrypt'],
  ['heard', /\bheard\b/i, 'seen, received'],
  ['so that', /\bso (?:many|much) (?:as|that are)\b/i, 'as many as'],
  ['too at the end', /, too\b(?=[.,;:)]|$)/i, 'also (before the verb)'],
  ['belongs into', /\bbelongs? into\b/i, 'belongs in'],
  ['what is none', /\bwhat (?:is|are) (?:no|none|not)\b/i, 'name the thing'],
  ['let know', /\b(?:hands?|handed) on\b/i, 'pass on, forward'],
  ['us', /\bof ours\b|\bour own\b/i, "the service's, its"],
  ['look for', /\bis looked for\b|\bare looked for\b|\bis looked at\b/i, 'the service looks for …'],
  ['one more is', /\bone more is\b/i, 'if you exceed …, you get …'],
  ['thereby', /\b(?:thereof|therein|thereby|wherein|whereby|hereby|herein)\b/i, 'which, in this'],
  ['person out', /\bwithout a word\b/i, 'silently'],
];

/** Like WORDS, but only at the start of a sentence and never in a question. */
export const OPENINGS = [
  ['starts with Who', /^Who (?!(?:are|am|can|should|do|does|did) )/, 'name the person: users who, anyone who'],
  ['starts with What', /^What (?!(?:are|can|should|do|does|did) |happens next$)/, 'name the thing'],
  ['starts with Of', /^Of (?!course\b)/, 'name the subject first'],
  ['starts with Those', /^Those (?=who|that|which|in|with|without|of|from)/, 'name the thing'],
  ['inverted condition', /^(?:Has|Have|Had|Is|Are|Was|Were|Does|Do|Did|Should)(?: [^\s,]+){1,14}, /, 'If …, …'],
  [
    'starts with Not',
    /^Not (?:what|who|those|that|an?|the|in|of|for|by|with|after|before|beyond)\b/,
    'say who does not do what',
  ],
  ['starts with Where', /^Where [^?]*, /, 'If …, …'],
];

/** For pages only: sentences that a reader has to read twice. */
export const LENGTH = { words: 30, semicolons: 1, colons: 1 };
