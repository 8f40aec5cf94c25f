/** Character references of HTML: the numbers, and the names that pages use. */

/** Latin-1 from 160 on, in order. */
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
/** Greek from 913 and from 945 on; nothing stands at 930. */
const greek =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega'
const others: Record<string, number> = {
  ...{
    quot: 34,
    amp: 38,
    lt: 60,
    gt: 62,
    apos: 39,
    OElig: 338,
    oelig: 339,
    Scaron: 352,
    scaron: 353,
    Yuml: 376,
  },
  ...{
    fnof: 402,
    circ: 710,
    tilde: 732,
    ensp: 8194,
    emsp: 8195,
    thinsp: 8201,
    zwnj: 8204,
    zwj: 8205,
    lrm: 8206,
  },
  ...{ rlm: 8207, ndash: 8211, mdash: 8212, lsquo: 8216, rsquo: 8217, sbquo: 8218, ldquo: 8220, rdquo: 8221 },
  ...{
    bdquo: 8222,
    dagger: 8224,
    Dagger: 8225,
    bull: 8226,
    hellip: 8230,
    permil: 8240,
    prime: 8242,
    Prime: 8243,
  },
  ...{ lsaquo: 8249, rsaquo: 8250, euro: 8364, trade: 8482, larr: 8592, uarr: 8593, rarr: 8594, darr: 8595 },
  ...{
    harr: 8596,
    minus: 8722,
    infin: 8734,
    asymp: 8776,
    ne: 8800,
    le: 8804,
    ge: 8805,
    check: 10003,
    star: 9734,
  },
  ...{
    num: 35,
    dollar: 36,
    percnt: 37,
    lpar: 40,
    rpar: 41,
    ast: 42,
    plus: 43,
    comma: 44,
    period: 46,
    sol: 47,
  },
  ...{
    colon: 58,
    semi: 59,
    equals: 61,
    quest: 63,
    commat: 64,
    lsqb: 91,
    bsol: 92,
    rsqb: 93,
    lowbar: 95,
    vert: 124,
  },
  ...{ lbrace: 123, rbrace: 125, lcub: 123, rcub: 125, Tab: 9, NewLine: 10, excl: 33, grave: 96, Hat: 94 },
}
const capital = (name: string) => name.replace(/^./, letter => letter.toUpperCase())
const named = new Map<string, string>([
  ...latin.split(' ').map((name, i): [string, string] => [name, String.fromCharCode(160 + i)]),
  ...greek
    .split(' ')
    .flatMap((name, i): [string, string][] => [
      [name, String.fromCharCode(945 + i)],
      ...(name === 'sigmaf' ? [] : ([[capital(name), String.fromCharCode(913 + i)]] as [string, string][])),
    ]),
  ...Object.entries(others).map(([name, code]): [string, string] => [name, String.fromCharCode(code)]),
])

/** Browsers read these numbers as windows-1252. */
const windows = [
  8364, 129, 8218, 402, 8222, 8230, 8224, 8225, 710, 8240, 352, 8249, 338, 141, 381, 143, 144, 8216, 8217,
  8220, 8221, 8226, 8211, 8212, 732, 8482, 353, 8250, 339, 157, 382, 376,
]

const reference = /&(?:#(\d{1,8})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,9}));?/g

export const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(reference, (whole, decimal, hex, name) => {
        if (name !== undefined) return named.get(name) ?? whole
        const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
        const meant = code >= 128 && code < 160 ? (windows[code - 128] as number) : code
        const isLetter = meant > 0 && meant <= 0x10ffff && !(meant >= 0xd800 && meant < 0xe000)
        return isLetter ? String.fromCodePoint(meant) : '\uFFFD'
      })
    : text
