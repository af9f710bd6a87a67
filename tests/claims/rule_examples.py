"""An example that each rule flags, and one that it leaves alone, in each of its languages.

Rule, office, flagged text, clean text; the texts differ in the fault alone.
"""

_EN = "1. A pump comprising a lid of {} mm.\n2. The pump of claim 1, wherein the lid is of {} mm."
_ZH = "1. 一种泵，包括盖，所述盖的厚度为{}mm。\n2. 根据权利要求1所述的泵，其特征在于，所述盖的厚度为{}mm。"
_JA = "【請求項1】蓋の厚さが{}mmであるポンプ。\n【請求項2】蓋の厚さが{}mmである請求項1に記載のポンプ。"
_TWO = "1. A pump comprising a lid.\n2. {}"


def _zh(words: str) -> str:
    return f"1. 一种泵，其特征在于，包括{words}。"


def _ja(words: str) -> str:
    return f"【請求項1】{words}ポンプ。"


def _en(words: str) -> str:
    return f"1. A pump comprising {words}."


EXAMPLES: list[tuple[str, str, str, str]] = [
    ("range-reversed", "uspto", _en("a lid of 10 mm to 5 mm"), _en("a lid of 5 mm to 10 mm")),
    ("range-reversed", "uspto", _en("a lid heated to 220 °C to 180 °C"),
     _en("a lid cooled from 220 °C to 180 °C")),
    ("range-reversed", "cnipa", _zh("厚度为10mm至5mm的盖"), _zh("厚度为5mm至10mm的盖")),
    ("range-reversed", "jpo", _ja("厚さ10～5mmの蓋を備える"), _ja("厚さ5～10mmの蓋を備える")),
    ("range-wider", "uspto", _EN.format("5 to 10", "3 to 12"), _EN.format("5 to 10", "6 to 8")),
    ("range-wider", "cnipa", _ZH.format("5-10", "3-12"), _ZH.format("5-10", "6-8")),
    ("range-wider", "jpo", _JA.format("5～10", "3～12"), _JA.format("5～10", "6～8")),
    ("range-nested", "uspto", _en("a lid of 5 to 10 mm, preferably 6 to 8 mm"),
     _en("a lid of 5 to 10 mm")),
    ("range-nested", "cnipa", _zh("厚度为5-10mm，最好为6-8mm的盖"), _zh("厚度为5-10mm的盖")),
    ("range-nested", "jpo", _ja("厚さ5～10mm、好ましくは6～8mmの蓋を備える"),
     _ja("厚さ5～10mmの蓋を備える")),
    ("status-identifier", "uspto", "1. (Amended) A pump comprising a lid.",
     "1. (Currently Amended) A pump comprising a lid."),
    ("status-identifier", "uspto", "1. (Canceled) A pump comprising a lid.", "1. (Canceled)"),
    ("number-prefix", "cnipa", "权利要求1. 一种泵，包括盖。", "1. 一种泵，包括盖。"),
    ("preamble-missing", "uspto", "1. Comprising: a lid; and a rotor.", _en("a lid and a rotor")),
    ("preamble-missing", "cnipa", "1. 其特征在于，包括盖。", _zh("盖")),
    ("dependent-form", "uspto", _TWO.format("The pump of claim 1 further comprises a cap."),
     _TWO.format("The pump of claim 1, further comprising a cap.")),
    ("wherein-missing", "uspto", _TWO.format("The pump of claim 1, the lid is made of steel."),
     _TWO.format("The pump of claim 1, the lid being made of steel.")),
    ("use-claim", "uspto", "1. Use of a resin as a dye.", "1. A method of dyeing, comprising using a resin."),
    ("use-claim", "cnipa", "1. 树脂在染色中的应用。", "1. 一种使用树脂的染色方法，包括加热。"),
    ("use-claim", "jpo", "【請求項1】樹脂の染料としての使用。", "【請求項1】樹脂を使用する染色方法。"),
    ("category-mixed", "uspto", "1. A pump and method of using it, comprising a lid.",
     "1. A method of making a pump, comprising casting a lid."),
    ("category-mixed", "cnipa", "1. 一种泵及其制造方法，包括盖。", "1. 一种泵的制造方法，包括铸造盖。"),
    ("category-mixed", "jpo", "【請求項1】蓋を備えるポンプ及びその製造方法。",
     "【請求項1】蓋を鋳造するポンプの製造方法。"),
    ("user-action", "uspto", _en("a display, wherein a user presses the display to start"),
     _en("a display configured to be pressed by a user")),
    ("dependency-order", "cnipa", "1. 一种泵，包括盖。\n2. 一种阀，包括座。\n3. 根据权利要求1所述的泵，其特征在于，所述盖为红色。",
     "1. 一种泵，包括盖。\n2. 根据权利要求1所述的泵，其特征在于，所述盖为红色。\n3. 一种阀，包括座。"),
    ("dependency-order", "uspto", "1. A pump comprising a lid.\n2. A valve comprising a seat.\n3. The pump of claim 1, wherein the lid is red.",
     "1. A pump comprising a lid.\n2. The pump of claim 1, wherein the lid is red.\n3. A valve comprising a seat."),
    ("trademark", "uspto", _en("a layer of Teflon"), _en("a layer of polytetrafluoroethylene")),
    ("trademark", "uspto", _en("a layer of Sealix®"), _en("a layer of a sealing resin")),
    ("trademark", "cnipa", _zh("特氟龙层"), _zh("聚四氟乙烯层")),
    ("trademark", "jpo", _ja("テフロン（登録商標）層を備える"), _ja("フッ素樹脂層を備える")),
    ("open-list", "uspto", _en("steel and the like"), _en("magnets whose like poles repel")),
    ("open-list", "cnipa", _zh("由钢、铜等制成的盖，钢、铜等"), _zh("等离子体发生器和相等的盖")),
    ("open-list", "jpo", _ja("鋼等の金属を備える"), _ja("高さが等しい同等の蓋を備える")),
    ("exemplary-language", "cnipa", _zh("金属，例如钢"), _zh("金属，如下所述的钢")),
    ("exemplary-language", "jpo", _ja("金属、好ましくは鋼を備える"), _ja("以下の例のいずれかの金属を備える")),
    ("relative-term", "cnipa", _zh("较厚的板"), _zh("高频放大器，厚度为5mm")),
    ("relative-term", "jpo", _ja("高温の液を備える"), _ja("高周波の液を備える")),
    ("approximate-term", "cnipa", _zh("约5mm的盖"), _zh("约束件")),
    ("approximate-term", "cnipa", _zh("5mm左右的盖"), _zh("左右两侧的盖")),
    ("approximate-term", "jpo", _ja("約5mmの蓋を備える"), _ja("制約された蓋を備える")),
    ("approximate-term", "jpo", _ja("略円形の蓋を備える"), _ja("省略された蓋を備える")),
    ("multiple-not-alternative", "uspto",
     "1. A pump comprising a lid.\n2. The pump of claim 1, wherein the lid is red.\n3. The pump of claims 1 and/or 2, wherein the lid is flat.",
     "1. A pump comprising a lid.\n2. The pump of claim 1, wherein the lid is red.\n3. The pump of claim 1 or 2, wherein the lid is flat."),
    ("multiple-on-multiple", "jpo",
     "【請求項1】蓋を備えるポンプ。\n【請求項2】前記蓋が赤い請求項1に記載のポンプ。\n"
     "【請求項3】前記蓋が丸い請求項1又は2に記載のポンプ。\n【請求項4】前記蓋が厚い請求項1から3のいずれか一項に記載のポンプ。",
     "【請求項1】蓋を備えるポンプ。\n【請求項2】前記蓋が赤い請求項1に記載のポンプ。\n"
     "【請求項3】前記蓋が丸い請求項1又は2に記載のポンプ。\n【請求項4】前記蓋が厚い請求項3に記載のポンプ。"),
    ("transition-missing", "uspto", "1. A catheter: a shaft; and a hub.", "1. A catheter comprising: a shaft; and a hub."),
    ("period-missing", "cnipa", "1. 一种泵，包括盖", "1. 一种泵，包括盖。"),
    ("several-sentences", "cnipa", "1. 一种泵。包括盖。", "1. 一种泵，直径为0.5mm。"),
    ("dependency-missing", "cnipa", "1. 一种泵，包括盖。\n2. 根据权利要求9所述的泵，其特征在于，所述盖为红色。",
     "1. 一种泵，包括盖。\n2. 根据权利要求1所述的泵，其特征在于，所述盖为红色。"),
    ("dependency-missing", "jpo", "【請求項1】蓋を備えるポンプ。\n【請求項2】前記蓋が赤い請求項9に記載のポンプ。",
     "【請求項1】蓋を備えるポンプ。\n【請求項2】前記蓋が赤い請求項1に記載のポンプ。"),
    ("omnibus", "cnipa", "1. 如图1所示的泵。", "1. 如式(I)所示的化合物。"),
    ("omnibus", "jpo", "【請求項1】図1に示すポンプ。", "【請求項1】式(1)で表される化合物。"),
]  # fmt: skip
