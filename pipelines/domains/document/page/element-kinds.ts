/** The kind of an element by its tag name. */
import type { DomElement } from './dom.ts'

export const blockTags = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CENTER DD DETAILS DIALOG DIR DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM FRAMESET H1 H2 H3 H4 H5 H6 HEADER HGROUP HR HTML LEGEND LI MAIN MENU NAV OL P PRE SEARCH SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL CAPTION'.split(
    ' ',
  ),
)
/** Elements whose content no reader sees as text. */
const silentTags = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE HEAD TITLE META LINK SVG MATH-RENDER CANVAS OBJECT EMBED IFRAME AUDIO VIDEO MAP SELECT OPTION DATALIST TEXTAREA INPUT PROGRESS METER'.split(
    ' ',
  ),
)

export const isSilent = (element: DomElement): boolean => silentTags.has(element.tagName.toUpperCase())
