/** The explorer's style, on top of the page's and with its variables. Marks are told apart by more than their colour. */
export const EXPLORER_CSS = `
.ex { --ex-ins: #d3e5ff; --ex-del: #ffe1c4; }
@media screen and (prefers-color-scheme: dark) {
  .ex { --ex-ins: #123f75; --ex-del: #6b3510; }
}
.ex :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.ex [hidden] { display: none; }
.ex button, .ex select, .ex input { font: inherit; color: inherit; }
.ex button, .ex select, .ex input[type=search] { background: var(--soft); border: 1px solid var(--line); border-radius: 4px; padding: .4rem .6rem; min-height: 2.5rem; }
.ex button { cursor: pointer; }
.ex-filters { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .75rem; align-items: end; }
.ex-filters label { display: grid; gap: .25rem; font-size: .875rem; min-width: 0; }
.ex-filters select, .ex-filters input[type=search] { width: 100%; min-width: 0; }
.ex-checks { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; grid-column: 1 / -1; }
.ex-checks label { display: flex; gap: .4rem; align-items: center; min-height: 2.5rem; }
.ex-checks input { width: 1.2rem; height: 1.2rem; }
.ex-count { font-weight: 600; }
.ex-columns { display: grid; gap: 1rem; }
.ex-browse, .ex-detail { min-width: 0; }
.ex-list { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 4px; }
.ex-list:empty { display: none; }
.ex-list li + li { border-top: 1px solid var(--line); }
.ex .ex-row { display: block; width: 100%; text-align: start; background: none; border: 0; border-radius: 0; overflow-wrap: anywhere; }
.ex .ex-row:hover, .ex .ex-row[aria-current] { background: var(--soft); }
.ex .ex-row[aria-current] { box-shadow: inset 4px 0 var(--link); }
.ex .ex-row:focus-visible { outline-offset: -3px; }
.ex-row > * { display: block; }
.ex-chips:empty { display: none; }
.ex-chip { display: inline-block; border: 1px solid var(--line); border-radius: 999px; padding: 0 .5rem; margin: .25rem .25rem 0 0; font-size: .8125rem; }
#ex-more { margin-top: .5rem; width: 100%; }
.ex-small { color: var(--quiet); font-size: .875rem; }
.ex-warn { color: var(--warn); font-weight: 600; }
.ex-detail h3 { margin: 0 0 .5rem; scroll-margin-top: .5rem; overflow-wrap: anywhere; }
.ex-condition { border-top: 1px solid var(--line); margin-top: 1rem; }
.ex-condition h4 { margin: .75rem 0 .25rem; }
.ex-facts { display: block; margin: .5rem 0; }
.ex-facts > div { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .5rem; }
.ex-facts dt { color: var(--quiet); }
.ex-facts dd { margin: 0; overflow-wrap: anywhere; }
.ex-flip { font-weight: 700; text-decoration: underline; }
.ex summary { cursor: pointer; padding: .4rem 0; }
.ex-prompt, .ex-text { white-space: pre-wrap; overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: .875rem; tab-size: 4; }
.ex-prompt { background: var(--soft); border: 1px solid var(--line); border-radius: 4px; padding: .75rem; }
.ex-template { color: var(--quiet); }
.ex ins { background: var(--ex-ins); text-decoration: underline; text-decoration-thickness: 2px; }
.ex del { background: var(--ex-del); text-decoration: line-through; }
.ex-unseen { border: 1px dashed var(--quiet); border-radius: 3px; padding: 0 .2em; font-size: .8em; unicode-bidi: isolate; direction: ltr; }
@media (min-width: 60rem) {
  .ex-columns { grid-template-columns: minmax(18rem, 2fr) minmax(0, 3fr); align-items: start; }
  .ex-list { max-height: 75vh; overflow: auto; }
  .ex-detail { position: sticky; top: 0; max-height: 95vh; overflow: auto; padding: 0 .5rem; }
}
@media print {
  .ex-filters, .ex-back, #ex-more { display: none; }
  .ex-list, .ex-detail { max-height: none; overflow: visible; position: static; }
}
`;
