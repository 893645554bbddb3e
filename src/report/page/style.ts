import { DARK, figureCss, LIGHT } from '../figures/palette.js';

/** The rules of the page. Colours come as variables, for light and dark; paper is always light. */
export const PAGE_CSS = `
:root{--paper:#fff;--soft:#f4f6f8;--ink:#1d242c;--quiet:#55606b;--line:#d5d9de;--link:#0061a1;--good:#00694c;--warn:#8a5300;--bad:#a3201a;--good-soft:#e7f4ee;--warn-soft:#fdf2e0;--bad-soft:#fbe9e7;color-scheme:light}
@media screen and (prefers-color-scheme:dark){:root{--paper:#14181d;--soft:#1d232a;--ink:#e9edf1;--quiet:#a3afba;--line:#39424c;--link:#7cc4f2;--good:#5fd3a6;--warn:#f0b85c;--bad:#ff9a8f;--good-soft:#15291f;--warn-soft:#2c2313;--bad-soft:#331c1a;color-scheme:dark}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.page{max-width:58rem;margin:0 auto;padding:1.5rem 1rem 4rem}
a{color:var(--link)}
h1,h2,h3,h4{line-height:1.25;margin:0;overflow-wrap:anywhere;text-wrap:balance}
h1{font-size:clamp(1.55rem,5vw,2.1rem);letter-spacing:-.01em}
h2{font-size:1.45rem;margin-top:3rem;padding-top:1.25rem;border-top:2px solid var(--ink)}
h3{font-size:1.13rem;margin-top:2.4rem}
h4{font-size:1rem;margin-top:1.4rem}
p,ul.answer,.call,.limit,#limits ul{max-width:47rem}
p{margin:.6rem 0;overflow-wrap:anywhere}
.brand{color:var(--quiet);font-size:.85rem;letter-spacing:.04em;margin:0 0 .5rem}
.about{color:var(--quiet);margin:.4rem 0 0}
.answer{font-size:1.18rem;line-height:1.45;margin:1rem 0 .4rem}
ul.answer{padding-left:1.2rem}
ul.answer li{margin:.25rem 0;overflow-wrap:anywhere}
.call{border-left:4px solid var(--line);background:var(--soft);padding:.6rem .9rem;margin:1rem 0;border-radius:0 4px 4px 0}
.call.good{border-color:var(--good);background:var(--good-soft)}
.call.warn{border-color:var(--warn);background:var(--warn-soft)}
.call.bad{border-color:var(--bad);background:var(--bad-soft)}
.call b{color:var(--ink)}
.limit{color:var(--quiet);border-left:3px solid var(--line);padding-left:.8rem;font-size:.94rem}
nav{margin:1.6rem 0 0;font-size:.94rem}
nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem}
nav a{overflow-wrap:anywhere}
figure{margin:1.2rem 0 1.8rem}
figure svg{display:block;max-width:100%;height:auto;font-variant-numeric:tabular-nums}
figure svg.narrow{display:none}
figcaption{font-weight:600;margin-bottom:.7rem;overflow-wrap:anywhere}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--quiet);font-size:.92rem;padding:.25rem 0}
summary:hover{color:var(--ink)}
details.run{margin:0}
details.run>summary{font-size:inherit;color:var(--ink);list-style:none}
details.run>summary::-webkit-details-marker{display:none}
details.run>summary h2::before{content:"▾ ";color:var(--quiet)}
details.run:not([open])>summary h2::before{content:"▸ "}
.source{color:var(--quiet);font-size:.8rem;line-height:1.45;margin:.5rem 0 0;overflow-wrap:anywhere}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:.8rem 0 0;-webkit-overflow-scrolling:touch;background:linear-gradient(to left,var(--paper) 40%,transparent) right/2.5rem 100% no-repeat local,linear-gradient(to left,var(--line),transparent) right/.9rem 100% no-repeat scroll}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;min-width:100%}
caption{text-align:left;font-weight:600;padding-bottom:.4rem}
th,td{padding:.3rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--quiet);font-weight:600;vertical-align:bottom}
thead th{white-space:normal;min-width:4.2rem}
th.left,td.left{text-align:left}
tr>:first-child{padding-left:0;position:sticky;left:0;background:var(--paper)}
tbody th{color:var(--ink);font-weight:400}
td.bold,th.bold{font-weight:700}
.dim{color:var(--quiet)}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--quiet);font-size:.85rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.8rem 0;font-size:.9rem}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere}
@media (max-width:640px){
figure svg.wide{display:none}
figure svg.narrow{display:block;width:100%;max-width:30rem}
tr>:first-child{min-width:7.5rem;max-width:44vw;white-space:normal;overflow-wrap:break-word}
dl{grid-template-columns:1fr}
dd{margin-bottom:.4rem}
}
@media print{
body{font-size:10.5pt}
.page{max-width:none;padding:0}
figure,table,.call{break-inside:avoid}
h2,h3{break-after:avoid}
nav,.screen-only{display:none}
figure svg.wide{display:block}
figure svg.narrow{display:none}
.scroll{overflow:visible}
}
${figureCss(LIGHT)}
@media screen and (prefers-color-scheme:dark){${figureCss(DARK)}}
`;
