"""Chinese and Japanese words that leave the scope open, and exceptions that only look so."""

from __future__ import annotations

import re
from collections.abc import Mapping

APPROXIMATE: Mapping[str, re.Pattern[str]] = {
    "zh": re.compile(
        r"大约|大致|大体上|近似(?:为|于)|基本上(?!由)|(?<![节制预条合公契要束])约(?=为?\s?[^\W_\u4e00-\u9fff])"
        r"|(?<=[^\W_\u4e00-\u9fff])\s?左右(?![两侧对])"
    ),
    "ja": re.compile(
        r"略(?=[円四方正平球直同水垂矩長半箱筒])|ほぼ|およそ|概ね|おおむね|実質的に|(?<![制契予要集条節盟倹])約(?=\s?[^\W_\u3041-\u9fff])"
        r"|(?<=[^\W_\u3041-\u9fff])程度"
    ),
}
RELATIVE: Mapping[str, re.Pattern[str]] = {
    "zh": re.compile(
        r"高温(?![度计])|低温(?![度计])|高压(?![釜缸侧端泵电线腔室])|低压(?![侧端腔室])|很[宽窄厚薄大小高低强弱长短]|较[宽窄厚薄大小高低强弱长短]|适当|合适|足够|充分|[少大适微]量的?(?!元素|天平)|稍微|略微|非常|(?<![栅源漏正负阴阳电磁两])极为|极其"
        r"|(?<=[,;:、。为是])[厚薄强弱高低宽窄](?=[,;。、])|[强弱厚薄]的(?=[^\W_])"
    ),
    "ja": re.compile(
        r"高温(?!計)(?=[のでに、。])|低温(?=[のでに、。])|やや|はるかに|十分に|十分な|適切に|適切な|適度[にな]|比較的|[少多大微]量の|わずかに|若干|極めて|非常に"
        r"|(?:高い|低い|厚い|薄い|大きい|小さい|長い|短い|強い|弱い)(?=[\u3400-\u9fff\u30a1-\u30fc])"
    ),
}
# "the second spring is stronger than the first": 第1バネより強い第2バネ, 第1警報より音量が大きい
# but not よりなる, "consisting of", and 基板より外側に配置された小さい突起, "from the substrate"
COMPARED = re.compile(
    r"(?:より(?!な[るりっ]|成[るりっ])|(?:に|と)比べて?|に比して|以上に|最も)も?"
    r"(?:十分に|はるかに|わずかに|やや|さらに|更に)?(?:[\u3400-\u9fff\u30a1-\u30fcA-Za-z]{1,8}[がの])?\Z"
)
EXEMPLARY: Mapping[str, re.Pattern[str]] = {
    "zh": re.compile(
        r"例如|比如|譬如|诸如|最好是?|尤其是?|特别是|优选地?为?|优选|必要时|可选地|(?<=[,、(])如(?![权下上前式图何果同此需有是])"
    ),
    "ja": re.compile(
        r"例えば|たとえば|好ましくは|望ましくは|(?<![独])特に(?!な)|必要に応じて|必要により|所望により|適宜"
    ),
}
OPEN_LIST: Mapping[str, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:and|or)\s+the\s+like\b|\b(?:and|or)\s+(?:similar|so\s+on|so\s+forth)\b|\betc\b\.?",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?<![相平均同中高初对不一优上下劣])等(?=[,。;、的)]|\Z|材料|金属|物质|方式|部件|设备|元件|信息|数据|参数)(?!离子|距|于|同|效|温|压|级|分|腰|边|渗|电点|待)"
        r"|[或及和]类似物|之类|等等"
    ),
    "ja": re.compile(
        r"(?<![同均平対高中初不優劣一])等(?=[のをがではに、。])(?!しい|間|価|方|級|量|温|速|電)|など(?=[のをがではに、。])"
    ),
}
