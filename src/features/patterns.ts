/*
 * What is counted in a rule. The paper that names these features gives neither word lists nor expressions, so these are
 * ours: they were tuned on the rule files of OmniCompliance-100K, and a count is a count *of these*. All are meant for
 * text whose white space is collapsed.
 */

/** Alternatives of one expression; where two match at a place, the first counts. */
function anyOf(alternatives: readonly string[], flags: string): RegExp {
  return new RegExp(alternatives.join('|'), flags);
}

const re = String.raw;

/** Words and numbers; an apostrophe, hyphen or full stop inside does not part one. */
export const WORDS = /[A-Za-z0-9]+(?:['’\-.][A-Za-z0-9]+)*/g;

/** Obligation and prohibition. */
export const MANDATORY = /\b(?:must|shall)\b/gi;

/** Every modal, `may` unless it is the month ("3 May", "May 2018"). */
export const MODALS = anyOf(
  [
    re`\b(?:must|shall|should|can|cannot|could|will|would)\b`,
    re`\bcan['’]t\b`,
    re`\bwon['’]t\b`,
    re`(?<!\d )\b(?:may)\b(?!\s+\d)`,
  ],
  'gi',
);

/** "provided that" as a condition, not as a report ("has provided that information"). */
const PROVIDED_THAT = [
  re`(?<!has\s)(?<!have\s)(?<!had\s)(?<!be\s)(?<!is\s)`,
  re`\b[Pp]rovided,?(?:\s+(?:further|however|always))?,?\s+that\b`,
  re`(?!\s+(?:information|data|service)\b)`,
].join('');

/** Words that open an exception, a condition or a derogation. */
export const EXCEPTIONS = anyOf(
  [
    // except, excepting
    re`\b[Ee](?:xcept|XCEPT)(?:ing)?\b`,
    re`\b(?:[Uu]nless|UNLESS)\b`,
    re`\b(?:[Nn]otwithstanding|NOTWITHSTANDING)\b`,
    re`\b(?:[Oo]ther\s+than|OTHER\s+THAN)\b`,
    PROVIDED_THAT,
    // subject to, at the head of a clause: "to be subject to a fine" is no exception
    re`\bSubject\s+to\b`,
    re`SUBJECT\s+TO\b`,
    re`(?:[.;:,(\u2014\u2013]\s*|\band\s+|\d\s+)subject\s+to\b`,
    re`\b[Ww]ithout\s+prejudice\s+to\b`,
    // with the (sole, only) exception of
    re`\b[Ww]ith\s+the\s+(?:sole\s+|only\s+)?exceptions?\s+of\b`,
    // save where, save in so far as; not "save the file"
    re`\b[Ss]ave\s+(?:as|where|that|in\s+(?:the\s+)?case|in\s+so\s+far|when)\b`,
    // derogation, said in four ways; "by way of derogation from" counts once
    re`\b[Bb]y\s+way\s+of\s+(?:derogation|exception)\b`,
    re`(?<!way\sof\s)\b[Dd]erogat(?:e|es|ed|ing|ion|ions)\s+from\b`,
    re`\b[Ii]n\s+derogation\s+(?:of|from)\b`,
    // shall not (therefore) apply
    re`\b(?:shall|does|do|should|will|must|may|would)\s+not\s+(?:therefore\s+|however\s+)?apply\b`,
    re`\b[Ee]xcluding\b`,
    // exception to, exempt from, exemptions from
    re`\b[Ee]xceptions?\s+(?:to|from)\b`,
    re`\b[Ee]xempt(?:ed|ions?)?\s+from\b`,
  ],
  'g',
);

/** 12, 12.3, 12-3a, 12(a)(iv); a digit or letter must not follow. */
const NUMBERED = re`\d+(?:[.\-–]\d+)*[a-z]{0,2}(?:\s?\([A-Za-z0-9]{1,5}\))*(?![\dA-Za-z])`;
/** (a), (a)(iv) */
const BRACKETED = re`(?:\([a-zA-Z0-9]{1,5}\)(?:\s?\([a-zA-Z0-9]{1,5}\))*)`;
/** A heading is not a reference: it stands at the start of the rule, or a colon or the glued title follows it. */
const NOT_AT_START = '(?<!^)';
const NO_COLON = re`(?!\s*:)`;
/** Parts of a text that "this" or "the preceding" may point to. */
const PART_OF_TEXT =
  '(?:[Aa]rticle|[Ss]ection|[Ss]ubsection|[Pp]aragraph|[Ss]ubparagraph|[Ss]ubdivision|[Cc]lause|[Cc]hapter|[Ss]ubpart|[Aa]nnex)';

/** References to another provision or act. */
export const CROSS_REFERENCES = anyOf(
  [
    // § 12, §§ 12-14
    re`${NOT_AT_START}(?<!—)§§?\s*${NUMBERED}`,
    // Article 6(1), Arts. 12-14; not the glued heading "Article 67Professional"
    re`${NOT_AT_START}\b(?:Articles?|Arts?\.)\s+${NUMBERED}(?!\d|\s*:|[a-z]{2})`,
    // section 1798.100, Sec. (b); not the heading "Section 3. Duties Of"
    re`\b(?:Sections?|sections?|SECTIONS?|Secs?\.)\s+(?:${NUMBERED}|${BRACKETED})(?!\d|\s*:|\.\s+[A-Z][a-z]+\s+[A-Z])`,
    // paragraph 2, subdivision (a), point (c)
    re`\b(?:[Ss]ubsections?|[Pp]aragraphs?|[Ss]ubparagraphs?|[Ss]ubdivisions?|[Cc]lauses?|[Pp]oints?)\s+(?:${NUMBERED}|${BRACKETED})${NO_COLON}`,
    // Chapter V, Annex III, Title 42, Recital 26
    re`${NOT_AT_START}\b(?:Chapters?|Titles?|Parts?|Annex(?:es)?|ANNEX|Appendix|Schedules?|Exhibits?|Recitals?|Attachment)\s+(?:\d+[A-Za-z]?|\([a-zA-Z0-9]+\)|[IVXLC]+|[A-E])\b${NO_COLON}`,
    re`\b(?:chapters?|parts?|titles?)\s+\d+\b${NO_COLON}`,
    // 12 U.S.C. 1813, 45 CFR Part 160
    re`\b\d+\s+U\.?\s?S\.?\s?C\.?(?:\s+§+)?(?:\s*\d+[a-z]?)?`,
    re`\b\d+\s+C\.?\s?F\.?\s?R\.?(?:\s+(?:§+|[Pp]arts?))?(?:\s*\d+(?:\.\d+)*)?`,
    // Regulation (EU) No 2016/679, Directive 95/46/EC
    re`\b(?:Regulations?|Directives?|Decisions?|Framework\s+Decision)\s+(?:\((?:EU|EC|EEC|EU,\s*Euratom)\)\s*)?(?:No\.?\s*)?\d+/\d+(?:/(?:EU|EC|EEC|JHA))?`,
    // this Article, the preceding paragraph; in "Article 3 of this Chapter" the first counts
    re`(?<!of\s)\b(?:this|that|the\s+(?:first|second|third|fourth|fifth|preceding|previous|foregoing))\s+${PART_OF_TEXT}\b`,
  ],
  'g',
);
