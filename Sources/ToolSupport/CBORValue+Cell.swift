package import YaprakCBOR

extension CBORValue {
    /// The value as a cell of a table: text as it is, everything else in diagnostic notation; escaped.
    package func cell(columnsMax: Int? = nil) -> String {
        if isNull { return "" }
        if let text { return text.plain }
        return diagnostic(style: CBORDiagnosticStyle(charactersMax: columnsMax))
    }
}
