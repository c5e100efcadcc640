zero
end
