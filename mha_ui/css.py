"""stub"""
def css_variables() -> str:
    pairs = {"paper": ("#ffffff","#12161c"),"ink":("#1c2430","#e6eaf0"),"q":("#7c3aed","#b794f6"),"k":("#b45309","#f0b060"),"v":("#047857","#4fd1a5"),
    "positive":("#c0392b","#ff8a7a"),"negative":("#2563a8","#7ab8ff"),"weight":("#0e7490","#4cc3dd"),"focus":("#3b5bdb","#8ea8ff")}
    heads=["#3b5bdb","#c2410c","#0f766e","#a21caf","#4d7c0f","#be123c","#0369a1","#854d0e"]*2
    v="".join(f"--{n}:light-dark({a},{b});" for n,(a,b) in pairs.items())+"".join(f"--head-{i}:{c};" for i,c in enumerate(heads))
    return ":root,.stApp{"+v+"}"
